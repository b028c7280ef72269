// The SQL of what else is known of a payment, and of what a business should look at.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { PaymentKind, RailWord } from './payment.ts'

export type Background = {
  /** Of a payment that was returned since. */
  succeededAt: Date | null
  /** When it is looked at next; null: not any more. */
  dueAt: Date | null
  asks: number
  railWord: RailWord | null
}

const background = statement(
  'payments.background',
  `select succeeded_at as "succeededAt", due_at as "dueAt", asks, rail_word as "railWord" from payment
    where lane = $1 and tenant_id = $2 and reference = $3 limit 1`,
)

export async function readBackground(db: Queryable, tenant: Tenant, reference: string): Promise<Background> {
  const [row] = await db.query<Background>(background, [tenant.lane, tenant.id, reference])
  return row ?? { succeededAt: null, dueAt: null, asks: 0, railWord: null }
}

// The oldest of each kind and unfinished status, so many at most, whatever else there is.
const late = statement(
  'payments.late',
  `select p.kind, count(*)::int as count
     from (values ('bank_transfer', 'queued'), ('momo_transfer', 'queued'), ('momo_collection', 'PENDING'),
                  ('momo_collection', 'OTP_REQUIRED')) as k (kind, status)
    cross join lateral (
      select kind, created_at from payment
       where lane = $1 and tenant_id = $2 and kind = k.kind and status <> 'SUCCESS' and status = k.status
       order by ordinal limit $4) as p
    where p.created_at < $3 group by p.kind`,
)

export function countLate(
  db: Queryable,
  tenant: Tenant,
  before: Date,
  countedMax: number,
): Promise<{ kind: PaymentKind; count: number }[]> {
  return db.query(late, [tenant.lane, tenant.id, before, countedMax])
}
