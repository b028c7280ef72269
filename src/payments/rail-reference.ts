// The SQL that finds a payment by the reference under which its rail knows it.

import type { Environment, Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import type { Payment } from './payment.ts'
import { paymentColumns, paymentOf } from './queries.ts'

export { readRailsLeft } from './execution/failover.ts'

// One probe of the index payment_by_rail_reference for each lane; where lanes lie on several machines, at each of these.
const byRailReference = statement(
  'payments.by_rail_reference',
  `select ${paymentColumns}, t.environment
     from payment p join tenant t on t.lane = p.lane and t.id = p.tenant_id
    where p.lane = any($1::smallint[]) and p.rail_reference = $2`,
)

export type FoundByRail = { payment: Payment; environment: Environment }

export async function findByRailReference(
  db: Queryable,
  lanes: number[],
  railReference: string,
): Promise<FoundByRail | undefined> {
  const [row] = await db.query<Payment & { environment: Environment }>(byRailReference, [lanes, railReference])
  return row === undefined ? undefined : { payment: paymentOf(row), environment: row.environment }
}

// The same for each reference.
const byRailReferences = statement(
  'payments.by_rail_references',
  `select ${paymentColumns}, t.environment, p.rail_reference as "railReference"
     from payment p join tenant t on t.lane = p.lane and t.id = p.tenant_id
    where p.lane = any($1::smallint[]) and p.rail_reference = any($2::uuid[])`,
)

export async function findManyByRailReference(
  db: Queryable,
  lanes: number[],
  references: string[],
): Promise<(FoundByRail & { railReference: string })[]> {
  type FoundRow = Payment & { environment: Environment; railReference: string }
  const rows = await db.query<FoundRow>(byRailReferences, [lanes, references])
  return rows.map((row) => ({
    payment: paymentOf(row),
    environment: row.environment,
    railReference: row.railReference,
  }))
}

// Payments by the references under which their rails know them, for the comparison with a provider's list.

export const railReferenceForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** By reference. What has another form is none of ours. */
export async function findByRailReferences(
  { db }: Pick<Context, 'db'>,
  lanes: number[],
  references: string[],
): Promise<Map<string, FoundByRail>> {
  const wanted = [...new Set(references.filter((reference) => railReferenceForm.test(reference)))]
  const found = wanted.length === 0 ? [] : await findManyByRailReference(db, lanes, wanted)
  return new Map(found.map(({ railReference, ...one }) => [railReference, one]))
}
