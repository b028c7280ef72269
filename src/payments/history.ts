// Facts about a payment that only its page shows: its next due time, its rail's answer, and when it succeeded if it was
// returned later. Also unfinished payments that a business should look at.

import type { MovementCount } from '#ledger/statement.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { readTries, type Try } from '#payments/execution/rail-call.ts'
import { readRailsLeft, type RailLeft } from './execution/failover.ts'
import type { PaymentKind, PaymentStatus, LastAnswer, Payment } from './payment.ts'

export type { Try } from '#payments/execution/rail-call.ts'
export type { RailLeft } from './execution/failover.ts'

export type PaymentStory = Background & { tries: Try[]; railsLeft: RailLeft[] }

export async function readPaymentStory(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  payment: Payment,
): Promise<PaymentStory> {
  const { id, reference, attempts } = payment
  const [background, tries, railsLeft] = await Promise.all([
    readBackground(db, tenant, reference),
    readTries(db, tenant, id),
    attempts === 1 ? [] : readRailsLeft(db, payment),
  ])
  return {
    ...background,
    railsLeft,
    tries: tries.toSorted((left, right) => left.firstAt.getTime() - right.firstAt.getTime()),
  }
}

/**
 * The ledger source of a payment's movements, and how many movements it made at each time. The ledger source of a
 * collection is its deposit.
 */
export function movedBy(
  payment: Payment,
  { succeededAt }: Background,
): { sourceId: Payment['id']; moved: MovementCount[] } {
  const { id, status, fee, createdAt, completedAt } = payment
  const pair = fee > 0n ? 2 : 1
  if (payment.kind === 'momo_collection') {
    const { depositId } = payment
    if (depositId === null || completedAt === null) return { sourceId: id, moved: [] }
    return { sourceId: depositId, moved: [{ at: completedAt, count: pair }] }
  }
  const moved: MovementCount[] = [{ at: createdAt, count: 1 }]
  if (completedAt !== null) moved.push({ at: completedAt, count: status === 'FAILED' ? 1 : pair })
  if (succeededAt !== null) moved.push({ at: succeededAt, count: pair })
  return { sourceId: id, moved }
}

type Background = {
  /** The time when a payment succeeded, if it was returned later. */
  succeededAt: Date | null
  /** When the service next looks at the payment; null: never again. */
  dueAt: Date | null
  asks: number
  railAnswer: LastAnswer | null
}

const backgroundQuery = statement(
  'payments.background',
  `select succeeded_at as "succeededAt", due_at as "dueAt", asks, rail_word as "railAnswer" from payment
    where lane = $1 and tenant_id = $2 and reference = $3 limit 1`,
)

export async function readBackground(db: Queryable, tenant: Tenant, reference: string): Promise<Background> {
  const [row] = await db.query<Background>(backgroundQuery, [tenant.lane, tenant.id, reference])
  return row ?? { succeededAt: null, dueAt: null, asks: 0, railAnswer: null }
}

// The oldest payments of each kind and unfinished status, up to a limit, so the cost does not depend on other rows.
const late = statement(
  'payments.late',
  `select k.kind, k.status, count(*)::int as count
     from (values ('bank_transfer', 'queued'), ('momo_transfer', 'queued'), ('momo_collection', 'PENDING'),
                  ('momo_collection', 'OTP_REQUIRED')) as k (kind, status)
    cross join lateral (
      select created_at from payment
       where lane = $1 and tenant_id = $2 and kind = k.kind and status <> 'SUCCESS' and status = k.status
       order by ordinal limit $4) as p
    where p.created_at < $3 group by k.kind, k.status`,
)

export type LatePayments = { kind: PaymentKind; status: PaymentStatus; count: number }

export function countLate(db: Queryable, tenant: Tenant, before: Date, countedMax: number): Promise<LatePayments[]> {
  return db.query(late, [tenant.lane, tenant.id, before, countedMax])
}
