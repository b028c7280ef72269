// The SQL of ending payments by hand: what decides whether their rails may still act.

import { arrayOf, statement, type Tx } from '#base/db.ts'
import type { Hold } from './may-still-act.ts'
import type { PaymentKey } from './sql.ts'

const findHolds = statement(
  'payments.find_holds',
  `select p.tenant_id as "tenantId", p.reference, p.due_at as "dueAt", p.submitted_at as "submittedAt",
          p.rail_word as "railWord"
     from unnest($2::uuid[], $3::text[]) as k (tenant_id, reference)
     cross join lateral (
       select * from payment
        where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p`,
)

/** The rows must be locked. */
export function findHoldsOf(tx: Tx, keys: PaymentKey[]): Promise<(Hold & PaymentKey)[]> {
  const values = [tx.lane, arrayOf(keys, (key) => key.tenantId), arrayOf(keys, (key) => key.reference)]
  return tx.query<Hold & PaymentKey>(findHolds, values)
}
