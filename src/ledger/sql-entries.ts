// The SQL behind the statement of a balance: the movements of `available`, numbered per currency.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { zero, type Kobo } from '#base/money.ts'
import { numberedList } from '#base/numbered-list.ts'
import type { Range } from '#base/ordinal.ts'

export type EntryRow = {
  id: Uuid
  number: bigint
  currency: string
  credit: string
  amount: Kobo
  type: string
  reference: string
  balanceAfter: Kobo
  createdAt: Date
}

export const entryList = numberedList<EntryRow>({
  name: 'ledger.entries',
  table: 'ledger_movement',
  number: 'entry',
  indexed: 'entry is not null',
  list: 'currency',
  columns: `r.id, r.entry as number, r.currency, r.credit, r.amount, r.kind as "type", r.reference, r.balance_after as "balanceAfter",
    r.created_at as "createdAt"`,
})

const sumOfRange = statement(
  'ledger.sum_entries',
  `select coalesce(sum(amount) filter (where credit = 'available'), 0)::bigint as in,
          coalesce(sum(amount) filter (where debit = 'available'), 0)::bigint as out
     from ledger_movement
    where lane = $1 and tenant_id = $2 and currency = $3 and entry is not null and entry > $4 and entry <= $5`,
)

export async function sumEntries(
  db: Queryable,
  tenant: Tenant,
  currency: string,
  { low, high }: Range,
): Promise<{ in: Kobo; out: Kobo }> {
  const [row] = await db.query<{ in: Kobo; out: Kobo }>(sumOfRange, [tenant.lane, tenant.id, currency, low, high])
  return row ?? { in: zero, out: zero }
}

// No index knows what caused a movement, but its id tells when it was made: so it is looked for from there on, and the walk
// ends at the last one that there is to find.
const movementsFrom = statement(
  'ledger.movements_of_source',
  `select id, debit, credit, amount, kind as type, created_at as "createdAt" from ledger_movement
    where lane = $1 and tenant_id = $2 and id >= $3 and id < $4 and source_id = $5
    order by id limit $6`,
)

export type SourceMovement = { id: Uuid; debit: string; credit: string; amount: Kobo; type: string; createdAt: Date }

export function readMovementsOf(
  db: Queryable,
  tenant: Tenant,
  sourceId: Uuid,
  { from, before, count }: { from: Uuid; before: Uuid; count: number },
): Promise<SourceMovement[]> {
  return db.query<SourceMovement>(movementsFrom, [tenant.lane, tenant.id, from, before, sourceId, count])
}
