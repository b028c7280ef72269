// The SQL that finds, claims and puts down payments. Rows are in sql-rows.ts, new ones in sql-insert.ts, what becomes of
// them in sql-change.ts, lists in sql-lists.ts.

import type { Environment } from '#base/context.ts'
import { arrayOf, arraysOf, statement, type InLane, type Statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { lookUp } from '#base/look-up.ts'
import type { Leased } from './carry-step.ts'
import type { Payment, RailWord, SubmissionAnswer } from './payment.ts'
import type { Way } from './rail-order.ts'
import { paymentColumns, paymentOf } from './sql-rows.ts'

export type PaymentKey = { tenantId: Uuid; reference: string }

const byKey = { table: 'payment', row: 'p', columns: paymentColumns, key: { tenant_id: 'uuid', reference: 'text' } }

const findByKeys = statement('payments.find', lookUp(byKey))
const lockByKeys = statement('payments.lock', lookUp({ ...byKey, lock: true }))

export function findPayments(db: InLane, keys: PaymentKey[]): Promise<Payment[]> {
  return askByKeys(db, findByKeys, keys)
}

/** No other transaction can change these until this one ends. */
export function lockPayments(tx: Tx, keys: PaymentKey[]): Promise<Payment[]> {
  return askByKeys(tx, lockByKeys, keys)
}

async function askByKeys(db: InLane, what: Statement, keys: PaymentKey[]): Promise<Payment[]> {
  const rows = await db.query<Payment>(what, [db.lane, ...arraysOf(keys, 'tenantId', 'reference')])
  return rows.map(paymentOf)
}

export type Postponement = {
  tenantId: Uuid
  reference: string
  /** This was decided under the lease that ends then. */
  leaseEnd: Date
  dueAt: Date | null
  asks: number
  submittedAt: Date | null
  /** Null: it was not asked. */
  railWord: RailWord | null
  /** Null: it does not wait for its rail's balance. */
  parkedAt: Date | null
  submissionAnswer: SubmissionAnswer | null
}

// Writes only under the lease that it was decided under. A payment that has ended, or that another process took up when
// the lease ended, is due at another time or not at all: a late word about it must not undo what that process noted (that it
// may have left the building). Rows are found and locked by key first, for the sake of young tables: 256 rows on a table
// that grew to 60 000 without ANALYZE: 30 ms as a join, 4 ms like this.
const postponeRows = statement(
  'payments.postpone',
  `with v as materialized (
     select p.ctid as row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::smallint[], $7::timestamptz[],
              $8::text[], $9::timestamptz[], $10::text[])
         as k (tenant_id, reference, lease_end, due_at, asks, submitted_at, rail_word, parked_at, submission_answer)
       cross join lateral (
         select ctid, due_at, status from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 for update) as p
      where p.due_at = k.lease_end and (k.due_at is not null or p.status not in ('queued', 'PENDING', 'OTP_REQUIRED')))
   update payment p set due_at = v.due_at, asks = v.asks, submitted_at = v.submitted_at, rail_word = v.rail_word,
          parked_at = v.parked_at, submission_answer = v.submission_answer
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

export function postponePayments(tx: Tx, rows: Postponement[]): void {
  tx.send(postponeRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'reference', 'leaseEnd', 'dueAt', 'asks', 'submittedAt', 'railWord', 'parkedAt'),
    arrayOf(rows, ({ submissionAnswer }) => submissionAnswer),
  ])
}

// A process that has the payment in hand asks by itself, so only one that was put down is due earlier.
const hasten = statement(
  'payments.hasten',
  `update payment set due_at = $4, asks = 0
    where lane = $1 and tenant_id = $2 and reference = $3 and status in ('queued', 'PENDING', 'OTP_REQUIRED')
      and submitted_at is not null and rail_word is not null and due_at > $4`,
)

export async function hastenPayment(db: InLane, { tenantId, reference }: PaymentKey, dueAt: Date): Promise<void> {
  await db.query(hasten, [db.lane, tenantId, reference, dueAt])
}

// Walks the ways that have unfinished payments, also those of rails that nobody has configured any more: one probe of the
// index payment_due_by_way (lane, kind, rail, due_at) for each.
export const waysWithWork = `way as (
     (select kind, rail from payment where lane = $1 and due_at is not null order by kind, rail limit 1)
     union all select next.kind, next.rail
       from way cross join lateral (
         select kind, rail from payment
          where lane = $1 and due_at is not null and (kind, rail) > (way.kind, way.rail)
          order by kind, rail limit 1) as next)`

// Each kind at each rail (a way) is claimed for itself, so that any number of due rows of a rail that hangs, whose share
// of the hand is taken, costs the others nothing.
// `materialized`, or the sub-select runs again for every row of the update (see ARCHITECTURE.md, traps). The old
// `submitted_at` comes back: it decides between sending and asking. The rows are locked, so they are updated where they lie;
// one that moved just before it was locked is left to the next turn. 512 rows on a table that grew to 30 000 without
// ANALYZE: 2 600 ms as a join by key, 11 ms like this. Behind 20 000 due rows of a rail without room, before ANALYZE and
// after: two probes for the ways, an index scan of 512 rows, a Tid scan of 512; with the update 21 ms.
const claimDue = statement(
  'payments.claim',
  `with recursive ${waysWithWork},
   due as materialized (
     select found.*
       from way
       left join unnest($6::text[], $7::text[], $8::int[]) as held (kind, rail, room) using (kind, rail)
       cross join lateral (
         select ctid as row_place, tenant_id, kind, rail, submitted_at, due_at from payment
          where lane = $1 and kind = way.kind and rail = way.rail and due_at <= $2
          order by due_at limit coalesce(held.room, $5::int)
            for update skip locked) as found
      order by found.due_at limit $4)
   update payment p
      set due_at = case when t.is_held then $9::timestamptz else $3::timestamptz end,
          submitted_at = case when t.is_held then null else coalesce(p.submitted_at, $2) end,
          rail_word = case when t.is_held then p.rail_word end
     from due cross join lateral (
            select environment,
                   due.submitted_at is null and due.kind <> 'momo_collection' and exists (
                     select 1 from brake
                      where brake.environment = tenant.environment
                        and (brake.business_id is null or brake.business_id = tenant.business_id)
                        and (brake.rail is null or brake.rail = due.rail)
                        for key share skip locked) as is_held
              from tenant where lane = $1 and id = due.tenant_id limit 1) as t
    where p.lane = $1 and p.ctid = any(array(select row_place from due)) and p.ctid = due.row_place
   returning ${paymentColumns}, due.submitted_at as "submittedBefore", t.environment, t.is_held as "isHeld"`,
)

export type Claim = {
  now: Date
  leaseEnd: Date
  /** The same by the monotonic clock of this process. */
  leaveBeforeMs: number
  /** When to look again at payouts that have not left and are paused, or whose rail is stopped. */
  heldUntil: Date
  /** How many payments at most: of all kinds and rails, of each, and of those of which some are in hand. */
  limit: number
  limitPerWay: number
  rooms: (Way & { room: number })[]
}

export type Claimed = {
  leased: Leased[]
  /** What was due and may not leave. Until `leaseEnd` nobody looks at it, unless it is woken. */
  held: Leased[]
}

type ClaimedRow = Payment & { submittedBefore: Date | null; environment: Environment; isHeld: boolean }

export async function claimPayments(db: InLane, claim: Claim): Promise<Claimed> {
  const { now, leaseEnd, leaveBeforeMs, heldUntil, limit, limitPerWay, rooms } = claim
  const rows = await db.query<ClaimedRow>(claimDue, [
    db.lane,
    now,
    leaseEnd,
    limit,
    limitPerWay,
    arrayOf(rooms, ({ kind }) => kind),
    arrayOf(rooms, ({ rail }) => rail ?? ''),
    arrayOf(rooms, ({ room }) => room),
    heldUntil,
  ])
  const [leased, held]: [Leased[], Leased[]] = [[], []]
  for (const { submittedBefore, environment, isHeld, ...row } of rows) {
    const payment = paymentOf(row)
    if (isHeld) held.push({ payment, environment, sentBefore: false, leaseEnd: heldUntil, leaveBeforeMs })
    // A process may have sent it on before this claim.
    else leased.push({ payment, environment, sentBefore: submittedBefore !== null, leaseEnd, leaveBeforeMs })
  }
  return { leased, held }
}
