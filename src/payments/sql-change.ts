// The SQL that writes what became of payments. Both statements find their rows as the look-up does (sql.ts) and update
// them where they lie. That is sound only because they are locked (by `lockPayments`, in an earlier statement of the
// transaction): a row that moved meanwhile would be missed. 256 rows on a young table: 1 200 ms as a join, 2.5 ms like this.
//
// A place is one only within a lane, whose rows may lie apart from those of others. `is not distinct from`, because no index
// serves it: asked for `lane = $1`, a planner that saw the table when it was empty walks the lane to find those places, and
// keeps to that (20 000 rows for a batch of 240; like this 240).

import { arrayOf, arraysOf, statement, type Tx } from '#base/db.ts'
import type { BankTransfer, MobileMoney, Payment } from './payment.ts'
import { collectionColumns, splitByPayee } from './sql-rows.ts'

/** A payment as it is from now on. `dueAt`: null when nothing is left to do; undefined where it stays. */
export type Change<P extends Payment = Payment> = { payment: P; dueAt: Date | null | undefined }

export function changePayments(tx: Tx, changes: Change[]): void {
  const { toBanks, ofWallets } = splitByPayee(changes)
  if (toBanks.length > 0) changeBankTransfers(tx, toBanks)
  if (ofWallets.length > 0) changeMobileMoney(tx, ofWallets)
}

const placesOfKeys = `cross join lateral (
         select ctid as row_place from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p`

/** Noted with a return alone, which overwrites when the payment ended; it may have succeeded in this very batch. */
const succeededBefore = (at: string): string =>
  `case when v.status = 'REVERSED' then coalesce(p.completed_at, ${at}) end`

const endTransfers = statement(
  'payments.end',
  `with v as materialized (
     select p.row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[])
         as k (tenant_id, reference, status, failure_reason, at, due_at, session_id)
       ${placesOfKeys})
   update payment p
      set status = v.status, session_id = v.session_id, failure_reason = v.failure_reason, updated_at = v.at,
          succeeded_at = ${succeededBefore('v.at')}, completed_at = v.at, due_at = v.due_at, asks = 0
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

/** A bank transfer has one kind of change: it ends, or ends differently. */
function changeBankTransfers(tx: Tx, rows: Change<BankTransfer>[]): void {
  tx.send(endTransfers, [tx.lane, ...commonColumns(rows), arrayOf(rows, ({ payment }) => payment.sessionId)])
}

const changeOfWallets = statement(
  'payments.change_mobile_money',
  `with v as materialized (
     select p.row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[],
              $9::timestamptz[], $10::boolean[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::smallint[],
              $15::smallint[], $16::uuid[], $17::text[])
         as k (tenant_id, reference, status, failure_reason, updated_at, due_at, operator_reference, completed_at, moves_due,
               otp_expires_at, otp_accepted_at, otp_hash, otp_tries, otp_wrong, deposit_id, deposit_reference)
       ${placesOfKeys})
   update payment p
      set status = v.status, operator_reference = v.operator_reference, failure_reason = v.failure_reason,
          updated_at = v.updated_at, succeeded_at = ${succeededBefore('v.updated_at')}, completed_at = v.completed_at,
          due_at = case when v.moves_due then v.due_at else p.due_at end,
          asks = case when v.moves_due then 0 else p.asks end,
          otp_expires_at = v.otp_expires_at, otp_accepted_at = v.otp_accepted_at, otp_hash = v.otp_hash,
          otp_tries = v.otp_tries, otp_wrong = v.otp_wrong,
          deposit_id = v.deposit_id, deposit_reference = v.deposit_reference
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

function changeMobileMoney(tx: Tx, rows: Change<MobileMoney>[]): void {
  const payments = rows.map(({ payment }) => payment)
  tx.send(changeOfWallets, [
    tx.lane,
    ...commonColumns(rows),
    ...arraysOf(payments, 'operatorReference', 'completedAt'),
    arrayOf(rows, ({ dueAt }) => dueAt !== undefined),
    ...collectionColumns(
      rows,
      'otpExpiresAt',
      'otpAcceptedAt',
      'otpHash',
      'otpTries',
      'otpWrong',
      'depositId',
      'depositReference',
    ),
  ])
}

/** What both statements write, as the parameters $2 to $7. */
function commonColumns(rows: Change[]): string[] {
  const payments = rows.map(({ payment }) => payment)
  return [
    ...arraysOf(payments, 'tenantId', 'reference', 'status', 'failureReason', 'updatedAt'),
    arrayOf(rows, ({ dueAt }) => dueAt ?? null),
  ]
}
