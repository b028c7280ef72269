// SQL of the table of payments. The columns have the names of the fields of a payment, so a row is read as a payment,
// and rows of several kinds can be written.

import type { Environment } from '#platform/context.ts'
import {
  arrayOf,
  arraysOf,
  statement,
  type Tx,
  type InLane,
  type Statement,
  type ColumnValues,
} from '#platform/db/db.ts'
import { lookUp } from '#platform/db/statement.ts'
import type { Uuid } from '#platform/ids.ts'
import type { RailQueue } from './execution/rail-call.ts'
import type { LeasedPayment } from './execution/step.ts'
import type { BankTransfer, MobileMoney, MomoCollection, Payment, LastAnswer, SubmissionAnswer } from './payment.ts'

/** Columns that lists show; wire.ts shows no others. */
export const shownColumnsOf = (r: string): string => `${r}.reference, ${r}.id, ${r}.kind, ${r}.status, ${r}.currency,
  ${r}.amount, ${r}.fee, ${r}.narration, ${r}.metadata, ${r}.created_at as "createdAt", ${r}.updated_at as "updatedAt",
  ${r}.completed_at as "completedAt", ${r}.failure_reason as "failureReason", ${r}.session_id as "sessionId",
  ${r}.bank_slug as "bankSlug", ${r}.bank_name as "bankName", ${r}.account_number as "accountNumber",
  ${r}.account_name as "accountName", ${r}.account_reference as "accountReference", ${r}.phone_number as "phoneNumber", ${r}.operator,
  ${r}.operator_reference as "operatorReference", ${r}.otp_expires_at as "otpExpiresAt", ${r}.expires_at as "expiresAt",
  ${r}.deposit_reference as "depositReference"`

export const paymentColumnsOf = (r: string): string => `${shownColumnsOf(r)}, ${r}.lane, ${r}.tenant_id as "tenantId",
  ${r}.submitted_at as "submittedAt", ${r}.parked_at as "parkedAt", ${r}.asks, ${r}.submission_answer as "submissionAnswer",
  ${r}.trace, nullif(${r}.rail, '') as rail, ${r}.attempts, ${r}.customer_name as "customerName", ${r}.approval,
  ${r}.otp_accepted_at as "otpAcceptedAt", ${r}.otp_hash as "otpHash", ${r}.otp_tries as "otpTries",
  ${r}.otp_wrong as "otpWrong", ${r}.deposit_id as "depositId", ${r}.expired_at as "expiredAt", ${r}.expired_as as "expiredAs"`

export const paymentColumns = paymentColumnsOf('p')

/**
 * Removes the columns of other kinds, which are null in the row; the table's CHECKs guarantee the columns of its own
 * kind. The keys are written out, because this runs for each payment that is read: copying them by a list of names
 * takes 1 700 ns instead of 130.
 */
export function paymentOf(row: Payment): Payment {
  switch (row.kind) {
    case 'bank_transfer':
      return {
        ...commonOf(row),
        kind: row.kind,
        status: row.status,
        bankSlug: row.bankSlug,
        bankName: row.bankName,
        accountNumber: row.accountNumber,
        accountName: row.accountName,
        sessionId: row.sessionId,
        failureReason: row.failureReason,
      }
    case 'momo_transfer':
      return {
        ...commonOf(row),
        ...ofOperator(row),
        kind: row.kind,
        status: row.status,
        phoneNumber: row.phoneNumber,
        accountNumber: row.accountNumber,
        accountReference: row.accountReference,
        accountName: row.accountName,
      }
    case 'momo_collection':
      return {
        ...commonOf(row),
        ...ofOperator(row),
        kind: row.kind,
        status: row.status,
        phoneNumber: row.phoneNumber,
        customerName: row.customerName,
        approval: row.approval,
        otpExpiresAt: row.otpExpiresAt,
        otpAcceptedAt: row.otpAcceptedAt,
        otpHash: row.otpHash,
        otpTries: row.otpTries,
        otpWrong: row.otpWrong,
        expiresAt: row.expiresAt,
        depositId: row.depositId,
        depositReference: row.depositReference,
        expiredAt: row.expiredAt,
        expiredAs: row.expiredAs,
      }
  }
}

function commonOf(row: Payment) {
  return {
    lane: row.lane,
    tenantId: row.tenantId,
    reference: row.reference,
    id: row.id,
    currency: row.currency,
    amount: row.amount,
    fee: row.fee,
    rail: row.rail,
    attempts: row.attempts,
    narration: row.narration,
    metadata: row.metadata,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    completedAt: row.completedAt,
    submittedAt: row.submittedAt,
    parkedAt: row.parkedAt,
    asks: row.asks,
    submissionAnswer: row.submissionAnswer,
    trace: row.trace,
  }
}

function ofOperator({ operator, operatorReference, failureReason }: MobileMoney) {
  return { operator, operatorReference, failureReason }
}

type RowOf<P extends Payment> = { payment: P }

function splitByPayee<R extends RowOf<Payment>>(
  rows: R[],
): { toBanks: (R & RowOf<BankTransfer>)[]; ofWallets: (R & RowOf<MobileMoney>)[] } {
  return {
    toBanks: rows.filter((row): row is R & RowOf<BankTransfer> => row.payment.kind === 'bank_transfer'),
    ofWallets: rows.filter((row): row is R & RowOf<MobileMoney> => row.payment.kind !== 'bank_transfer'),
  }
}

type CollectionColumn = Exclude<keyof MomoCollection, keyof BankTransfer>

function collectionColumns(rows: RowOf<Payment>[], ...columns: CollectionColumn[]): ColumnValues[] {
  return columns.map((column) =>
    arrayOf(rows, ({ payment }) => (payment.kind === 'momo_collection' ? payment[column] : null)),
  )
}

function payoutColumns(
  rows: RowOf<MobileMoney>[],
  ...columns: ('accountName' | 'accountNumber' | 'accountReference')[]
): ColumnValues[] {
  return columns.map((column) =>
    arrayOf(rows, ({ payment }) => (payment.kind === 'momo_transfer' ? payment[column] : null)),
  )
}

// SQL that inserts payments: one statement for bank transfers and one for mobile money, so that a bank transfer does
// not need the columns of wallets.

export type NewPayment<P extends Payment = Payment> = {
  payment: P
  ordinal: bigint
  dueAt: Date
  keyId: Uuid | null
  /** Null: the rail sends no notices about the payment. */
  railReference: string | null
}

export function insertPayments(tx: Tx, rows: NewPayment[]): void {
  const { toBanks, ofWallets } = splitByPayee(rows)
  if (toBanks.length > 0) insertBankTransfers(tx, toBanks)
  if (ofWallets.length > 0) insertMobileMoney(tx, ofWallets)
}

// Columns of all kinds of payments, as the parameters $2 to $17.
const common = `tenant_id, reference, id, ordinal, currency, amount, fee, narration, metadata, created_at, due_at, submitted_at, rail, trace,
       key_id, rail_reference`
const commonTypes = `$2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[],
       $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::text[], $15::text[], $16::uuid[], $17::uuid[]`

function insertedColumns(rows: NewPayment[]): ColumnValues[] {
  const payments = rows.map(({ payment }) => payment)
  return [
    ...arraysOf(payments, 'tenantId', 'reference', 'id'),
    arrayOf(rows, ({ ordinal }) => ordinal),
    ...arraysOf(payments, 'currency', 'amount', 'fee', 'narration', 'metadata', 'createdAt'),
    arrayOf(rows, ({ dueAt }) => dueAt),
    ...arraysOf(payments, 'submittedAt', 'rail', 'trace'),
    ...arraysOf(rows, 'keyId', 'railReference'),
  ]
}

const bankTransferColumns = `${common}, bank_slug, bank_name, account_number, account_name`

const insertToBanks = statement(
  'payments.insert',
  `insert into payment (lane, kind, status, updated_at, ${bankTransferColumns})
   select $1, 'bank_transfer', 'queued', v.created_at, v.*
     from unnest(${commonTypes}, $18::text[], $19::text[], $20::text[], $21::text[]) as v (${bankTransferColumns})`,
)

function insertBankTransfers(tx: Tx, rows: NewPayment<BankTransfer>[]): void {
  const payments = rows.map(({ payment }) => payment)
  tx.send(insertToBanks, [
    tx.lane,
    ...insertedColumns(rows),
    ...arraysOf(payments, 'bankSlug', 'bankName', 'accountNumber', 'accountName'),
  ])
}

const mobileMoneyColumns = `${common}, kind, status, phone_number, operator, account_name, customer_name, approval,
         otp_expires_at, otp_tries, otp_wrong, expires_at, account_number, account_reference`

const insertOfWallets = statement(
  'payments.insert_mobile_money',
  `insert into payment (lane, updated_at, ${mobileMoneyColumns})
   select $1, v.created_at, v.*
     from unnest(${commonTypes}, $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[],
       $25::timestamptz[], $26::smallint[], $27::smallint[], $28::timestamptz[], $29::text[], $30::text[]) as v (${mobileMoneyColumns})`,
)

function insertMobileMoney(tx: Tx, rows: NewPayment<MobileMoney>[]): void {
  const payments = rows.map(({ payment }) => payment)
  tx.send(insertOfWallets, [
    tx.lane,
    ...insertedColumns(rows),
    ...arraysOf(payments, 'kind', 'status', 'phoneNumber', 'operator'),
    ...payoutColumns(rows, 'accountName'),
    ...collectionColumns(rows, 'customerName', 'approval', 'otpExpiresAt', 'otpTries', 'otpWrong', 'expiresAt'),
    ...payoutColumns(rows, 'accountNumber', 'accountReference'),
  ])
}

// SQL that writes the results of payments. Both statements look up each row by its key and update it by its ctid. That
// is safe only because the rows are locked (by `lockPayments`, in an earlier statement of the transaction): a row that
// moved since would be missed. For 256 rows on a new table this takes 2.5 ms, and a join 1 200 ms. A ctid identifies a
// row only within a lane, whose rows may be stored apart from others. The lane is compared with `is not distinct from`,
// which no index serves: with `lane = $1`, a planner that saw the table empty scans the whole lane to find the rows,
// and keeps that plan (it reads 20 000 rows for a batch of 240; now 240).

/** The new state of a payment. `dueAt`: null if nothing is left to do; undefined if it stays as it is. */
export type Change<P extends Payment = Payment> = { payment: P; dueAt: Date | null | undefined }

export function changePayments(tx: Tx, changes: Change[]): void {
  const { toBanks, ofWallets } = splitByPayee(changes)
  if (toBanks.length > 0) changeBankTransfers(tx, toBanks)
  if (ofWallets.length > 0) changeMobileMoney(tx, ofWallets)
}

const placesOfKeys = `cross join lateral (
         select ctid as row_place from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p`

/**
 * The time of the success is stored only when a payment is returned, because the return overwrites `completed_at`. The
 * success may be in the same batch.
 */
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

/** A bank transfer has one kind of change: it ends, or its end changes. */
function changeBankTransfers(tx: Tx, rows: Change<BankTransfer>[]): void {
  tx.send(endTransfers, [tx.lane, ...changedColumns(rows), arrayOf(rows, ({ payment }) => payment.sessionId)])
}

const changeOfWallets = statement(
  'payments.change_mobile_money',
  `with v as materialized (
     select p.row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[],
              $9::timestamptz[], $10::boolean[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::smallint[],
              $15::smallint[], $16::uuid[], $17::text[], $18::timestamptz[], $19::text[])
         as k (tenant_id, reference, status, failure_reason, updated_at, due_at, operator_reference, completed_at, moves_due,
               otp_expires_at, otp_accepted_at, otp_hash, otp_tries, otp_wrong, deposit_id, deposit_reference, expired_at,
               expired_as)
       ${placesOfKeys})
   update payment p
      set status = v.status, operator_reference = v.operator_reference, failure_reason = v.failure_reason,
          updated_at = v.updated_at, succeeded_at = ${succeededBefore('v.updated_at')}, completed_at = v.completed_at,
          due_at = case when v.moves_due then v.due_at else p.due_at end,
          asks = case when v.moves_due then 0 else p.asks end,
          otp_expires_at = v.otp_expires_at, otp_accepted_at = v.otp_accepted_at, otp_hash = v.otp_hash,
          otp_tries = v.otp_tries, otp_wrong = v.otp_wrong,
          deposit_id = v.deposit_id, deposit_reference = v.deposit_reference, expired_at = v.expired_at,
          expired_as = v.expired_as
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

function changeMobileMoney(tx: Tx, rows: Change<MobileMoney>[]): void {
  const payments = rows.map(({ payment }) => payment)
  tx.send(changeOfWallets, [
    tx.lane,
    ...changedColumns(rows),
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
      'expiredAt',
      'expiredAs',
    ),
  ])
}

/** Columns that both statements write, as the parameters $2 to $7. */
function changedColumns(rows: Change[]): ColumnValues[] {
  const payments = rows.map(({ payment }) => payment)
  return [
    ...arraysOf(payments, 'tenantId', 'reference', 'status', 'failureReason', 'updatedAt'),
    arrayOf(rows, ({ dueAt }) => dueAt ?? null),
  ]
}

// SQL that finds, claims and postpones payments. Lists are in list.ts.

export type PaymentKey = { tenantId: Uuid; reference: string }

export const byKey = {
  table: 'payment',
  row: 'p',
  columns: paymentColumns,
  key: { tenant_id: 'uuid', reference: 'text' },
}

const findByKeys = statement('payments.find', lookUp(byKey))
const lockByKeys = statement('payments.lock', lookUp({ ...byKey, lock: true }))

export async function findPayments(db: InLane, keys: PaymentKey[]): Promise<Payment[]> {
  return (await askByKeys<Payment>(db, findByKeys, keys)).map(paymentOf)
}

export async function lockPayments(tx: Tx, keys: PaymentKey[]): Promise<Payment[]> {
  return (await askByKeys<Payment>(tx, lockByKeys, keys)).map(paymentOf)
}

export function askByKeys<Row extends object>(db: InLane, what: Statement, keys: PaymentKey[]): Promise<Row[]> {
  return db.query<Row>(what, [db.lane, ...arraysOf(keys, 'tenantId', 'reference')])
}

export type Postponement = {
  tenantId: Uuid
  reference: string
  /** The end of the lease under which the process decided to postpone. */
  leaseEnd: Date
  dueAt: Date | null
  asks: number
  submittedAt: Date | null
  /** Null: the rail was not asked. */
  railAnswer: LastAnswer | null
  /** Null: the payment does not wait for the balance of its rail. */
  parkedAt: Date | null
  submissionAnswer: SubmissionAnswer | null
}

// Writes only while the payment is still due at the end of the lease under which the process decided. If the payment
// has ended, or another process claimed it after the lease, it is due at another time or not at all: a late result must
// not undo what that process stored (that the payment may have been submitted). If a notice showed during the lease
// that the payment exists at its rail (rail-notice.ts), the result is not written either, and the payment stays due at
// the end of the lease. Rows are found and locked by key first: on a table that grew to 60 000 rows without ANALYZE,
// this takes 4 ms for 256 rows, and a join 30 ms.
const postponeRows = statement(
  'payments.postpone',
  `with v as materialized (
     select p.ctid as row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::smallint[], $7::timestamptz[],
              $8::text[], $9::timestamptz[], $10::text[])
         as k (tenant_id, reference, lease_end, due_at, asks, submitted_at, rail_word, parked_at, submission_answer)
       cross join lateral (
         select ctid, due_at, status, submission_answer from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 for update) as p
      where p.due_at = k.lease_end and (k.due_at is not null or p.status not in ('queued', 'PENDING', 'OTP_REQUIRED'))
        and (p.submission_answer is distinct from 'exists' or k.submission_answer = 'exists'))
   update payment p set due_at = v.due_at, asks = v.asks, submitted_at = v.submitted_at, rail_word = v.rail_word,
          parked_at = v.parked_at, submission_answer = v.submission_answer
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

export function postponePayments(tx: Tx, rows: Postponement[]): void {
  tx.send(postponeRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'reference', 'leaseEnd', 'dueAt', 'asks', 'submittedAt', 'railAnswer', 'parkedAt'),
    arrayOf(rows, ({ submissionAnswer }) => submissionAnswer),
  ])
}

// Finds the rail queues with unfinished payments, also of rails that are not configured any more, with one
// look-up in the index payment_due_by_way (lane, kind, rail, due_at) for each.
export const queuesWithWork = `queue as (
     (select kind, rail from payment where lane = $1 and due_at is not null order by kind, rail limit 1)
     union all select next.kind, next.rail
       from queue cross join lateral (
         select kind, rail from payment
          where lane = $1 and due_at is not null and (kind, rail) > (queue.kind, queue.rail)
          order by kind, rail limit 1) as next)`

// Claims each kind at each rail separately. So if a rail hangs and has used up its share of leases, its due rows cost
// the other rails nothing. `materialized`, because the sub-select would run again for every row of the update (see
// CONTRIBUTING.md, traps). The old `submitted_at` decides between submitting and asking; a payment that ended by a
// notice while it waited to be submitted again is only asked about. The locked rows are updated by ctid; a row that
// moved just before its lock is left to the next turn. For 512 rows on a table that grew to 30 000 without ANALYZE,
// this takes 11 ms, or 21 ms if 20 000 rows of a rail without free leases were due earlier; a join by key takes 2 600
// ms.
const claimDue = statement(
  'payments.claim',
  `with recursive ${queuesWithWork},
   due as materialized (
     select found.*
       from queue
       left join unnest($6::text[], $7::text[], $8::int[]) as held (kind, rail, room) using (kind, rail)
       cross join lateral (
         select ctid as row_place, tenant_id, kind, rail, status, submitted_at, due_at from payment
          where lane = $1 and kind = queue.kind and rail = queue.rail and due_at <= $2
          order by due_at limit coalesce(held.room, $5::int)
            for update skip locked) as found
      order by found.due_at limit $4)
   update payment p
      set due_at = case when t.is_held then $9::timestamptz else $3::timestamptz end,
          submitted_at = case when t.is_held then null else coalesce(p.submitted_at, $2) end,
          rail_word = case when t.is_held then p.rail_word end
     from due cross join lateral (
            select environment,
                   due.submitted_at is null and due.status = 'queued' and exists (
                     select 1 from brake
                      where brake.environment = tenant.environment
                        and (brake.business_id is null or brake.business_id = tenant.business_id)
                        and (brake.rail is null or brake.rail = due.rail)
                        for key share skip locked) as is_held
              from tenant where lane = $1 and id = due.tenant_id limit 1) as t
    where p.lane = $1 and p.ctid = any(array(select row_place from due)) and p.ctid = due.row_place
   returning ${paymentColumns}, due.submitted_at is not null or p.completed_at is not null as "sentBefore", t.environment,
             t.is_held as "isHeld"`,
)

export type Claim = {
  now: Date
  leaseEnd: Date
  /** `leaseEnd` as a time of the monotonic clock of this process. */
  leaveBeforeMs: number
  /** The next due time of payouts that wait to be submitted and that a brake holds back. */
  heldUntil: Date
  /**
   * The most payments to claim: in total, for each kind at each rail, and for those queues that have leased payments.
   */
  limit: number
  limitPerQueue: number
  rooms: (RailQueue & { room: number })[]
}

type Claimed = {
  leased: LeasedPayment[]
  /** Due payments that a brake holds back. No process claims them before `heldUntil`, unless they are woken. */
  held: LeasedPayment[]
}

type ClaimedRow = Payment & { sentBefore: boolean; environment: Environment; isHeld: boolean }

export async function claimPayments(db: InLane, claim: Claim): Promise<Claimed> {
  const { now, leaseEnd, leaveBeforeMs, heldUntil, limit, limitPerQueue, rooms } = claim
  const rows = await db.query<ClaimedRow>(claimDue, [
    db.lane,
    now,
    leaseEnd,
    limit,
    limitPerQueue,
    arrayOf(rooms, ({ kind }) => kind),
    arrayOf(rooms, ({ rail }) => rail ?? ''),
    arrayOf(rooms, ({ room }) => room),
    heldUntil,
  ])
  const [leased, held]: [LeasedPayment[], LeasedPayment[]] = [[], []]
  for (const { sentBefore, environment, isHeld, ...row } of rows) {
    const payment = paymentOf(row)
    if (isHeld) held.push({ payment, environment, sentBefore: false, leaseEnd: heldUntil, leaveBeforeMs })
    else leased.push({ payment, environment, sentBefore, leaseEnd, leaveBeforeMs })
  }
  return { leased, held }
}
