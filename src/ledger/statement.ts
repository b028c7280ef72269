// The account statement of a period: the opening balance, each entry, the closing balance, and whether they add up.
// The sums are computed from the amounts of the entries, so that they verify the balances that the entries contain.
// The type of an entry is one of `MovementKind` in chart.ts. Also finds the movements of one payment or deposit.

import type { Context, Tenant } from '#platform/context.ts'
import { type Queryable, inLane, statement } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { toMoney, zero, type Currency, type Money, negate } from '#platform/money.ts'
import {
  idAheadMsMax,
  walkedAtOnce,
  lengthOf,
  piecesDown,
  rangeOfSlice,
  sliceOf,
  type PageQuestion,
  type TimeRange,
  numberedList,
  type Range,
} from '#platform/db/numbered-list.ts'
import type { Uuid } from '#platform/ids.ts'
import { type ArchivedEntries, type InArchive, archivedEnd } from './archived.ts'
import { findArchivedEntries, readSealedUntil } from './archive.ts'
import { firstIdAt } from './chunks.ts'

/** Either `in` or `out` is zero. */
export type StatementEntry = Pick<EntryRow, 'reference' | 'type' | 'balanceAfter' | 'createdAt'> & {
  number: bigint
  in: Money
  out: Money
}

type AccountStatement = {
  kind: 'statement'
  opening: Money
  closing: Money
  sumIn: Money
  sumOut: Money
  adds: boolean
  entries: StatementEntry[]
  total: number
}

export const entriesSummedMax = 1_000_000n

/** `too-long`: the period has more entries than can be summed during a request. */
export async function readStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  question: PageQuestion & TimeRange,
): Promise<AccountStatement | InArchive | { kind: 'too-long' }> {
  const found = await wholeEntriesIn(db, tenant, currency, question)
  if (found.kind === 'archived') return found
  const { range, archived } = found
  if (range.high - range.low > entriesSummedMax) return { kind: 'too-long' }
  const page = rangeOfSlice(range, sliceOf(question))
  const balanceAt = (number: bigint): Promise<Money> => readBalanceAt(db, tenant, currency, { number, archived })
  const [opening, closing, sums, entries] = await Promise.all([
    balanceAt(range.low),
    balanceAt(range.high),
    sumEntries(db, tenant, currency, range),
    entryList.read(db, tenant, page, currency),
  ])
  const adds = opening + sums.in - sums.out === closing
  if (!adds || entries.length < lengthOf(page)) {
    // Some of the entries may have been archived, and so removed from the table, since this request began.
    const now = await findArchivedEntries(db, tenant, currency)
    if (now?.through !== archived?.through) return readStatement({ db }, tenant, currency, question)
  }
  return {
    kind: 'statement',
    opening,
    closing,
    sumIn: sums.in,
    sumOut: sums.out,
    adds,
    entries: entries.map(statementEntryOf),
    total: lengthOf(range),
  }
}

function statementEntryOf({
  number,
  credit,
  amount,
  reference,
  type,
  balanceAfter,
  createdAt,
}: EntryRow): StatementEntry {
  const sides = credit === 'available' ? { in: amount, out: zero } : { in: zero, out: amount }
  return { number, reference, type, ...sides, balanceAfter, createdAt }
}

/** Refuses a period that includes archived entries, because those are in files. */
export async function countStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): Promise<{ kind: 'count'; count: number } | InArchive> {
  const found = await wholeEntriesIn(db, tenant, currency, time)
  return found.kind === 'archived' ? found : { kind: 'count', count: lengthOf(found.range) }
}

/**
 * Yields all entries of a period, the latest first, in batches. Fails if some of them are archived in files; callers
 * call `countStatement` first, which refuses such a period.
 */
export async function* walkStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): AsyncGenerator<StatementEntry[]> {
  const found = await wholeEntriesIn(db, tenant, currency, time)
  // Without this error, an export would look complete although the archived entries are missing.
  if (found.kind === 'archived') throw archivedMeanwhile()
  for (const piece of piecesDown(found.range, walkedAtOnce)) {
    const rows = await entryList.read(db, tenant, piece, currency)
    if (rows.length < lengthOf(piece)) throw archivedMeanwhile()
    yield rows.map(statementEntryOf)
  }
}

function archivedMeanwhile(): Unavailable {
  return new Unavailable('Some of these entries have been archived meanwhile.')
}

type At = { number: bigint; archived: ArchivedEntries | undefined }

async function readBalanceAt(
  db: Queryable,
  tenant: Tenant,
  currency: Currency,
  { number, archived }: At,
): Promise<Money> {
  if (number === 0n) return zero
  if (number === archived?.through) return archived.balance
  const [row] = await entryList.read(db, tenant, { low: number - 1n, high: number }, currency)
  return toMoney(row?.balanceAfter ?? 0n)
}

// The statement of a balance: every movement of `available`, the latest first, each with the balance after it. Entries
// are numbered without gaps per currency, and later entries have higher numbers, so every page, however deep, is a
// range of numbers. Archived entries, which are in files, are counted but not returned; a request for them gets
// `archived`.

type EntryRow = {
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

const entryList = numberedList<EntryRow>({
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

async function sumEntries(
  db: Queryable,
  tenant: Tenant,
  currency: string,
  { low, high }: Range,
): Promise<{ in: Money; out: Money }> {
  const [row] = await db.query<{ in: Money; out: Money }>(sumOfRange, [tenant.lane, tenant.id, currency, low, high])
  return row ?? { in: zero, out: zero }
}

// No index has `source_id`, which names the payment or deposit that made a movement, but the id of a movement contains
// its time. The search starts at the lowest id of the time when the source moved money, and ends once it has found as
// many movements as the source made then.
const movementsFrom = statement(
  'ledger.movements_of_source',
  `select id, debit, credit, amount, kind as type, created_at as "createdAt" from ledger_movement
    where lane = $1 and tenant_id = $2 and id >= $3 and id < $4 and source_id = $5
    order by id limit $6`,
)

export type SourceMovement = { id: Uuid; debit: string; credit: string; amount: Money; type: string; createdAt: Date }

function readMovementsOf(
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
    // Some of the entries may have been archived since this request began.
    const archived = await findArchivedEntries(db, tenant, currency)
    if (archived !== undefined && slice.low < archived.through)
      return { kind: 'archived', until: archived.until, field: 'page' }
  }
  return { kind: 'page', entries: rows.map(accountEntryOf), total: lengthOf(found.range) }
}

type EntriesIn = { kind: 'range'; range: Range; archived: ArchivedEntries | undefined } | InArchive

/** The entry numbers of a time range. Without `from`, the numbers of archived entries are included. */
async function entriesIn(db: Queryable, tenant: Tenant, currency: Currency, time: TimeRange): Promise<EntriesIn> {
  const archived = await findArchivedEntries(db, tenant, currency)
  const refusal = archivedEnd(archived, time)
  if (refusal !== undefined) return refusal
  return { kind: 'range', range: await entryList.rangeOf(db, tenant, time, currency, archived?.through), archived }
}

async function wholeEntriesIn(db: Queryable, tenant: Tenant, currency: Currency, time: TimeRange): Promise<EntriesIn> {
  const found = await entriesIn(db, tenant, currency, time)
  if (found.kind === 'archived' || found.archived === undefined) return found
  const { through, until } = found.archived
  return found.range.low < through ? { kind: 'archived', until, field: 'from' } : found
}

function accountEntryOf({ credit, amount, ...entry }: EntryRow): AccountEntry {
  return { ...entry, amount: credit === 'available' ? amount : negate(amount) }
}

// Finds the movements of one payment or deposit by the times at which they happened.

/** `count` is the number of movements that the payment or deposit made at that time. */
export type MovementCount = { at: Date; count: number }

/** `archivedUntil` is set if some movements are missing: those before this time are archived in files. */
type SourceMovements = { movements: SourceMovement[]; archivedUntil: Date | null }

export async function movementsOf(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  sourceId: Uuid,
  moved: MovementCount[],
): Promise<SourceMovements> {
  const found = await Promise.all(
    moved.map(({ at, count }) => {
      const [from, before] = [firstIdAt(at), firstIdAt(new Date(at.getTime() + idAheadMsMax))]
      return readMovementsOf(db, tenant, sourceId, { from, before, count })
    }),
  )
  const each = new Map(found.flat().map((movement) => [movement.id, movement]))
  const sealed = await readSealedUntil(inLane(db, tenant.lane))
  return {
    movements: [...each.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    archivedUntil: sealed !== undefined && moved.some(({ at }) => at < sealed) ? sealed : null,
  }
}
