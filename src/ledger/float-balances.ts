// What a float book comes to. A close keeps that up to a moment before which nothing is booked any more, so that it costs what was
// booked since, however old the book is.

import type { Queryable } from '#base/db.ts'
import type { FloatAccount } from './float.ts'
import { findTotalsOf, writeFloatTotals } from './sql-float-totals.ts'
import { findOpening, sumFloat, type FloatBalance, type FloatName } from './sql-float.ts'

export async function readFloat(db: Queryable, name: FloatName): Promise<FloatBalance[]> {
  const totals = await findTotalsOf(db, name)
  const [fresh, opening] = await Promise.all([
    sumFloat(db, name, { since: sinceOf(totals), until: 'infinity' }),
    findOpening(db, name),
  ])
  return added([...totals, ...fresh, ...opening])
}

/** Keeps what the book comes to before `until`, but for its opening. */
export async function totalFloat(db: Queryable, name: FloatName, until: Date): Promise<void> {
  const before = await findTotalsOf(db, name)
  const since = sinceOf(before)
  if (since !== '-infinity' && since >= until) return
  const sums = added([...before, ...(await sumFloat(db, name, { since, until }))])
  const totals = [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, accounts]) => ({
    currency,
    balances: new Map<string, bigint>(accounts.map(({ account, balance }) => [account, balance])),
  }))
  await writeFloatTotals(db, name, { since, until, totals })
}

/** All totals of a rail are written together. */
function sinceOf([first]: { untilAt: Date }[]): Date | '-infinity' {
  return first?.untilAt ?? '-infinity'
}

function added(parts: FloatBalance[]): FloatBalance[] {
  const sums = new Map<string, { currency: string; account: FloatAccount; balance: bigint }>()
  for (const { currency, account, balance } of parts) {
    const before = sums.get(`${currency} ${account}`)?.balance ?? 0n
    sums.set(`${currency} ${account}`, { currency, account, balance: before + balance })
  }
  return [...sums.values()]
}
