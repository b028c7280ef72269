// The statement of a period: what was there before it, each entry, what is there after it, and whether that adds up. The sums
// are taken over the entries themselves, so that they prove something about the balances that the entries carry.

import type { Context, Tenant } from '#base/context.ts'
import type { Queryable } from '#base/db.ts'
import { toKobo, zero, type Currency, type Kobo } from '#base/money.ts'
import { walkDown } from '#base/numbered-list.ts'
import { lengthOf, rangeOfSlice, sliceOf, type PageQuestion, type TimeRange } from '#base/ordinal.ts'
import { entryList, sumEntries, type EntryRow } from './sql-entries.ts'

/** `in` and `out`: one of them is nothing. */
export type StatementEntry = Pick<EntryRow, 'reference' | 'type' | 'balanceAfter' | 'createdAt'> & {
  number: bigint
  in: Kobo
  out: Kobo
}

export type Statement = {
  opening: Kobo
  closing: Kobo
  sumIn: Kobo
  sumOut: Kobo
  adds: boolean
  entries: StatementEntry[]
  total: number
}

/** As many are added up while somebody waits. */
export const entriesSummedMax = 1_000_000n

/** Undefined: the period has too many entries to be added up while somebody waits. */
export async function readStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  question: PageQuestion & TimeRange,
): Promise<Statement | undefined> {
  const range = await entryList.rangeOf(db, tenant, question, currency)
  if (range.high - range.low > entriesSummedMax) return undefined
  const page = rangeOfSlice(range, sliceOf(question))
  const [opening, closing, sums, entries] = await Promise.all([
    balanceAt(db, tenant, currency, range.low),
    balanceAt(db, tenant, currency, range.high),
    sumEntries(db, tenant, currency, range),
    entryList.read(db, tenant, page, currency),
  ])
  const adds = opening + sums.in - sums.out === closing
  return {
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

/** All entries of a period, the latest first, some at a time. */
export async function* walkStatement(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): AsyncGenerator<StatementEntry[]> {
  for await (const rows of walkDown(entryList, db, tenant, time, currency)) yield rows.map(entryOf)
}

/** What the entry of this number left; nothing before the first. */
async function balanceAt(db: Queryable, tenant: Tenant, currency: Currency, number: bigint): Promise<Kobo> {
  if (number === 0n) return zero
  const [row] = await entryList.read(db, tenant, { low: number - 1n, high: number }, currency)
  return toKobo(row?.balanceAfter ?? 0n)
}
