// The statement of a balance: every movement of `available`, the latest first, each with the balance after it.
// Entries are numbered without gaps per currency, and their times follow the numbers, so a page is a range of numbers
// at any depth. Entries in files are counted but not returned; a request for them gets `archived`.

import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import {
  numberedList,
  type Range,
  lengthOf,
  rangeOfSlice,
  sliceOf,
  type PageQuestion,
  type TimeRange,
} from '#platform/db/numbered-list.ts'
import type { Uuid } from '#platform/ids.ts'
import { zero, type Money, negate, type Currency } from '#platform/money.ts'
import { findArchivedEntries } from './archive.ts'
import { archivedEnd, type ArchivedEntries, type InArchive } from './archived.ts'

export type EntryRow = {
  id: Uuid
  number: bigint
  currency: string
  credit: string
  amount: Money
  type: string
  reference: string
  balanceAfter: Money
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
): Promise<{ in: Money; out: Money }> {
  const [row] = await db.query<{ in: Money; out: Money }>(sumOfRange, [tenant.lane, tenant.id, currency, low, high])
  return row ?? { in: zero, out: zero }
}

// No index has the cause of a movement, but its id contains its time. The search starts there and ends at the last
// expected movement.
const movementsFrom = statement(
  'ledger.movements_of_source',
  `select id, debit, credit, amount, kind as type, created_at as "createdAt" from ledger_movement
    where lane = $1 and tenant_id = $2 and id >= $3 and id < $4 and source_id = $5
    order by id limit $6`,
)

export type SourceMovement = { id: Uuid; debit: string; credit: string; amount: Money; type: string; createdAt: Date }

export function readMovementsOf(
  db: Queryable,
  tenant: Tenant,
  sourceId: Uuid,
  { from, before, count }: { from: Uuid; before: Uuid; count: number },
): Promise<SourceMovement[]> {
  return db.query<SourceMovement>(movementsFrom, [tenant.lane, tenant.id, from, before, sourceId, count])
}

/** `amount` is negative for a debit. */
type AccountEntry = Omit<EntryRow, 'credit'>

export type EntryPage = { kind: 'page'; entries: AccountEntry[]; total: number } | InArchive

export async function listEntries(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  question: PageQuestion & TimeRange,
): Promise<EntryPage> {
  const found = await entriesIn(db, tenant, currency, question)
  if (found.kind === 'archived') return found
  const slice = rangeOfSlice(found.range, sliceOf(question))
  const rows = await entryList.read(db, tenant, slice, currency)
  if (rows.length < lengthOf(slice)) {
    // A month may have been sealed since this request began.
    const archived = await findArchivedEntries(db, tenant, currency)
    if (archived !== undefined && slice.low < archived.through)
      return { kind: 'archived', until: archived.until, field: 'page' }
  }
  return { kind: 'page', entries: rows.map(entryOf), total: lengthOf(found.range) }
}

type EntriesIn = { kind: 'range'; range: Range; archived: ArchivedEntries | undefined } | InArchive

/** The numbers of a time range; without `from` it includes those in files. */
async function entriesIn(db: Queryable, tenant: Tenant, currency: Currency, time: TimeRange): Promise<EntriesIn> {
  const archived = await findArchivedEntries(db, tenant, currency)
  const refusal = archivedEnd(archived, time)
  if (refusal !== undefined) return refusal
  return { kind: 'range', range: await entryList.rangeOf(db, tenant, time, currency, archived?.through), archived }
}

/** The same, but refuses a range that includes entries in files. */
export async function wholeEntriesIn(
  db: Queryable,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): Promise<EntriesIn> {
  const found = await entriesIn(db, tenant, currency, time)
  if (found.kind === 'archived' || found.archived === undefined) return found
  const { through, until } = found.archived
  return found.range.low < through ? { kind: 'archived', until, field: 'from' } : found
}

function entryOf({ credit, amount, ...entry }: EntryRow): AccountEntry {
  return { ...entry, amount: credit === 'available' ? amount : negate(amount) }
}
