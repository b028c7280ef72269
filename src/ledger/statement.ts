// The account statement of a period: the opening balance, each entry, the closing balance, and whether they add up.
// The sums are computed from the entries themselves, so that they verify the balances that the entries contain.

import type { Context, Tenant } from '#platform/context.ts'
import type { Queryable } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { toMoney, zero, type Currency, type Money } from '#platform/money.ts'
import {
  walkedAtOnce,
  lengthOf,
  piecesDown,
  rangeOfSlice,
  sliceOf,
  type PageQuestion,
  type TimeRange,
} from '#platform/db/numbered-list.ts'
import type { ArchivedEntries, InArchive } from './archived.ts'
import { wholeEntriesIn, entryList, sumEntries, type EntryRow } from './entries.ts'

/** Either `in` or `out` is zero. */
export type StatementEntry = Pick<EntryRow, 'reference' | 'type' | 'balanceAfter' | 'createdAt'> & {
  number: bigint
  in: Money
  out: Money
}

export type AccountStatement = {
  kind: 'statement'
  opening: Money
  closing: Money
  sumIn: Money
  sumOut: Money
  adds: boolean
  entries: StatementEntry[]
  total: number
}

/** The maximum number of entries that are summed during a request. */
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
  return {
    kind: 'statement',
    opening,
    closing,
    sumIn: sums.in,
    sumOut: sums.out,
    adds,
    entries: entries.map(entryOf),
    total: lengthOf(range),
  }
}

function entryOf({ number, credit, amount, reference, type, balanceAfter, createdAt }: EntryRow): StatementEntry {
  const sides = credit === 'available' ? { in: amount, out: zero } : { in: zero, out: amount }
  return { number, reference, type, ...sides, balanceAfter, createdAt }
}

/** The number of entries in a period, all of which can be read. */
export async function countStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): Promise<{ kind: 'count'; count: number } | InArchive> {
  const found = await wholeEntriesIn(db, tenant, currency, time)
  return found.kind === 'archived' ? found : { kind: 'count', count: lengthOf(found.range) }
}

/** Yields all entries of a period, the latest first, in batches. Yields nothing if some are in files. */
export async function* walkStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): AsyncGenerator<StatementEntry[]> {
  const found = await wholeEntriesIn(db, tenant, currency, time)
  if (found.kind === 'archived') return
  for (const piece of piecesDown(found.range, walkedAtOnce)) {
    const rows = await entryList.read(db, tenant, piece, currency)
    // Otherwise a truncated export would look complete.
    if (rows.length < lengthOf(piece)) throw new Unavailable('Some of these entries have been archived meanwhile.')
    yield rows.map(entryOf)
  }
}

type At = { number: bigint; archived: ArchivedEntries | undefined }

/** The balance after the entry with this number; zero before the first. */
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
