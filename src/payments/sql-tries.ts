// The SQL of what rails answered.

import type { Tenant } from '#base/context.ts'
import { arraysOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Try } from './tries.ts'

export type TryRow = Try & { tenantId: Uuid; paymentId: Uuid }

const columns = 'tenant_id, payment_id, asked, answered, detail, first_at, last_at, times, milliseconds'

// The same answer may come twice in a batch: a payment that was put down is taken up again at once.
const add = statement(
  'payments.add_tries',
  `insert into rail_try (lane, ${columns})
   select $1, tenant_id, payment_id, asked, answered, max(detail), min(first_at), max(last_at), sum(times), max(milliseconds)
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[],
            $9::integer[], $10::integer[]) as v (${columns})
    group by tenant_id, payment_id, asked, answered
   on conflict (lane, tenant_id, payment_id, asked, answered) do update
     set detail = excluded.detail, last_at = greatest(rail_try.last_at, excluded.last_at),
         times = rail_try.times + excluded.times, milliseconds = excluded.milliseconds`,
)

export function addTries(tx: Tx, rows: TryRow[]): void {
  if (rows.length === 0) return
  tx.send(add, [
    tx.lane,
    ...arraysOf(
      rows,
      'tenantId',
      'paymentId',
      'asked',
      'answered',
      'detail',
      'firstAt',
      'lastAt',
      'times',
      'milliseconds',
    ),
  ])
}

const ofPayment = statement(
  'payments.tries',
  `select asked, answered, detail, first_at as "firstAt", last_at as "lastAt", times, milliseconds from rail_try
    where lane = $1 and tenant_id = $2 and payment_id = $3 order by asked, answered`,
)

/** One payment has a handful. */
export function readTries(db: Queryable, tenant: Tenant, paymentId: Uuid): Promise<Try[]> {
  return db.query<Try>(ofPayment, [tenant.lane, tenant.id, paymentId])
}
