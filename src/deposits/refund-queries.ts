// All SQL of refunds.

import type { Environment } from '#platform/context.ts'
import { arraysOf, statement, type InLane, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'
import type { Deposit } from './deposit.ts'
import type { ClaimedRefund, RefundStatus, Step } from './refunds.ts'

const insertRows = statement(
  'refunds.insert',
  `insert into deposit_refund (lane, tenant_id, deposit_id, status, due_at, created_at, updated_at)
   select $1, v.tenant_id, v.deposit_id, 'WAITING', v.at, v.at, v.at
     from unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) as v (tenant_id, deposit_id, at)`,
)

export function insertRefunds(tx: Tx, deposits: Deposit[]): void {
  tx.send(insertRows, [tx.lane, ...arraysOf(deposits, 'tenantId', 'id', 'updatedAt')])
}

// A process without a rail of this provider asks nothing, so it leaves the status as it is. Uses the index
// deposit_refund_due and finds the deposit and the tenant by their keys.
const claimDue = statement(
  'refunds.claim',
  `with due as materialized (
     select ctid as row_place, tenant_id, deposit_id, status from deposit_refund
      where lane = $1 and due_at <= $2
      order by due_at limit $4
        for update skip locked)
   update deposit_refund r
      set status = case when t.is_known then 'ASKED' else r.status end,
          due_at = $3, asks = least(r.asks + 1, 32767), updated_at = greatest(r.updated_at, $2),
          asked_at = case when due.status = 'WAITING' and t.is_known then $2 else r.asked_at end
     from due
    cross join lateral (
       select * from deposit
        where lane = $1 and (tenant_id, id) >= (due.tenant_id, due.deposit_id) order by tenant_id, id limit 1) as d
    cross join lateral (
       select environment, (environment, d.provider) in (select * from unnest($5::text[], $6::text[])) as is_known
         from tenant where lane = $1 and id = due.tenant_id limit 1) as t
    where r.lane = $1 and r.ctid = any(array(select row_place from due)) and r.ctid = due.row_place
   returning r.lane, r.status, r.tenant_id as "tenantId", r.deposit_id as "depositId", due.status = 'ASKED' as "wasAsked",
     coalesce(r.asked_at, $2) as "askedAt", r.asks - 1 as asks, r.refusal, r.again, r.due_at as "leaseEnd", r.created_at as "createdAt", t.environment,
     d.provider, d.provider_id as "providerId", d.amount, d.currency, d.return_reason as "returnReason"`,
)

/** A provider for which this process has a rail. */
export type KnownProvider = { environment: Environment; provider: string }

export function claimRefunds(
  db: InLane,
  { now, leaseEnd, limit, known }: { now: Date; leaseEnd: Date; limit: number; known: KnownProvider[] },
): Promise<ClaimedRefund[]> {
  const values = [db.lane, now, leaseEnd, limit, ...arraysOf(known, 'environment', 'provider')]
  return db.query<ClaimedRefund>(claimDue, values)
}

// If the process has lost the lease, its answer is dropped, and the next process asks the rail again.
const moveRow = statement(
  'refunds.move',
  `update deposit_refund set status = $4, due_at = $5, why = $6, refusal = $10, again = $11, updated_at = greatest(updated_at, $8)
    where lane = $1 and tenant_id = $2 and deposit_id = $3 and status = $9 and due_at = $7
   returning 1 as one`,
)

export async function moveRefund(tx: Queryable, refund: ClaimedRefund, step: Step, now: Date): Promise<boolean> {
  const { lane, tenantId, depositId, leaseEnd } = refund
  const before = [lane, tenantId, depositId, step.status, step.dueAt, step.why, leaseEnd, now, refund.status]
  return (await tx.query(moveRow, [...before, step.refusal, step.again])).length > 0
}

export type ListedRefund = {
  depositId: Uuid
  businessId: Uuid
  environment: Environment
  status: RefundStatus
  amount: bigint
  currency: Currency
  provider: string
  providerId: string
  returnReason: string
  asks: number
  askedAt: Date | null
  dueAt: Date | null
  why: string | null
  createdAt: Date
}

const listed = `r.deposit_id as "depositId", t.business_id as "businessId", t.environment, r.status, d.amount, d.currency,
  d.provider, d.provider_id as "providerId", d.return_reason as "returnReason", r.asks, r.asked_at as "askedAt", r.due_at as "dueAt",
  r.why, r.created_at as "createdAt"`

const withDeposit = `cross join lateral (
     select * from deposit
      where lane = $1 and (tenant_id, id) >= (r.tenant_id, r.deposit_id) order by tenant_id, id limit 1) as d
   cross join lateral (
     select business_id, environment from tenant where lane = $1 and id = r.tenant_id limit 1) as t`

// Uses the index deposit_refund_open (lane, created_at).
const openRows = statement(
  'refunds.list_open',
  `select ${listed}
     from (select * from deposit_refund
            where lane = $1 and status <> 'REFUNDED' order by created_at limit $2) as r
     ${withDeposit}
    order by r.created_at`,
)

// Reads in the order of the index deposit_refund_all.
const allRows = statement(
  'refunds.list_all',
  `select ${listed}
     from (select * from deposit_refund where lane = $1 order by created_at desc limit $2) as r
     ${withDeposit}
    order by r.created_at desc`,
)

export function findAllRefunds(db: InLane, limit: number): Promise<ListedRefund[]> {
  return db.query<ListedRefund>(allRows, [db.lane, limit])
}

export function findOpenRefunds(db: InLane, limit: number): Promise<ListedRefund[]> {
  return db.query<ListedRefund>(openRows, [db.lane, limit])
}

const oneRow = statement(
  'refunds.find',
  `select ${listed}
     from (select * from deposit_refund where lane = $1 and tenant_id = $2 and deposit_id = $3) as r
     ${withDeposit}`,
)

export async function findRefund(
  db: InLane,
  { tenantId, id }: { tenantId: Uuid; id: Uuid },
): Promise<ListedRefund | undefined> {
  return (await db.query<ListedRefund>(oneRow, [db.lane, tenantId, id]))[0]
}

const placeOfMoney = statement(
  'refunds.place_of_money',
  `select lane, tenant_id as "tenantId" from provider_notice
    where environment = $1 and provider = $2 and provider_id = $3`,
)

// Finds the deposit in the order of the index of notices (see `findByNotices` in queries.ts).
const refundOfMoney = statement(
  'refunds.of_money',
  `select r.lane, r.tenant_id as "tenantId", r.deposit_id as "depositId", r.status
     from (select * from deposit
            where lane = $1 and (tenant_id, provider, provider_id) >= ($2, $3, $4)
            order by tenant_id, provider, provider_id limit 1) as d
     join deposit_refund r on r.lane = $1 and r.tenant_id = d.tenant_id and r.deposit_id = d.id
    where d.tenant_id = $2 and d.provider = $3 and d.provider_id = $4`,
)

type RefundKey = { lane: number; tenantId: Uuid; depositId: Uuid }

export async function findRefundOfMoney(
  db: Queryable,
  { environment, provider, providerId }: { environment: Environment; provider: string; providerId: string },
): Promise<(RefundKey & { status: RefundStatus }) | undefined> {
  const [place] = await db.query<Omit<RefundKey, 'depositId'>>(placeOfMoney, [environment, provider, providerId])
  if (place === undefined) return undefined
  const values = [place.lane, place.tenantId, provider, providerId]
  return (await db.query<RefundKey & { status: RefundStatus }>(refundOfMoney, values))[0]
}

const hastenRow = statement(
  'refunds.hasten',
  `update deposit_refund
      set due_at = $4, status = 'ASKED', asked_at = coalesce(asked_at, $4),
          refusal = case when status = 'REFUSED' then coalesce(why, '') else refusal end
    where lane = $1 and tenant_id = $2 and deposit_id = $3
      and (status = 'REFUSED' or (status = 'ASKED' and due_at > $4))`,
)

/**
 * Makes a requested refund due at once, so that its rail is asked for the status. A refused refund becomes ASKED, and
 * REFUSED again if its rail shows none. A refund that was not requested yet is due anyway.
 */
export async function hastenRefund(db: InLane, { tenantId, depositId }: RefundKey, now: Date): Promise<void> {
  await db.query(hastenRow, [db.lane, tenantId, depositId, now])
}

const openOne = statement(
  'refunds.find_open',
  `select ${listed}, r.tenant_id as "tenantId"
     from (select * from deposit_refund where lane = $1 and status <> 'REFUNDED' and deposit_id = $2) as r
     ${withDeposit}`,
)

export async function findOpenRefund(db: InLane, depositId: Uuid): Promise<(ListedRefund & RefundKey) | undefined> {
  const [row] = await db.query<ListedRefund & { tenantId: Uuid }>(openOne, [db.lane, depositId])
  return row === undefined ? undefined : { ...row, lane: db.lane }
}

const lockRow = statement(
  'refunds.lock',
  `select status, asked_at as "askedAt" from deposit_refund
    where lane = $1 and tenant_id = $2 and deposit_id = $3 for update`,
)

export async function lockRefund(
  tx: Tx,
  { tenantId, depositId }: RefundKey,
): Promise<Pick<ListedRefund, 'status' | 'askedAt'> | undefined> {
  return (await tx.query<Pick<ListedRefund, 'status' | 'askedAt'>>(lockRow, [tx.lane, tenantId, depositId]))[0]
}

const resolveRow = statement(
  'refunds.resolve',
  `update deposit_refund
      set status = $4, due_at = case when $4 = 'REFUNDED' then null else $5::timestamptz end, why = $6, refusal = null,
          again = $4 = 'ASKED', asks = 0, updated_at = greatest(updated_at, $5)
    where lane = $1 and tenant_id = $2 and deposit_id = $3`,
)

/** The caller must have locked the row. */
export function resolveLocked(
  tx: Tx,
  { tenantId, depositId }: RefundKey,
  { status, note, now }: { status: RefundStatus; note: string; now: Date },
): void {
  tx.send(resolveRow, [tx.lane, tenantId, depositId, status, now, note])
}
