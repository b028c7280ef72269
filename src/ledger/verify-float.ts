// The totals of the float books are the sums of their movements. No tenant has a part in them, so they stand in no lane.

import { present } from '#base/assert.ts'
import type { Check, Invariant } from './invariant.ts'
import { findTotals, type TotalRow } from './sql-float-totals.ts'
import { floatPages } from './sql-verify-float.ts'

export const floatInvariants: Invariant[] = [
  { name: 'the totals of a float book are the sums of its movements', run: checkTotals },
]

async function checkTotals(check: Check): Promise<void> {
  if (!check.isFirstLane) return
  const books = Map.groupBy(await findTotals(check.lane), ({ environment, rail, currency }) =>
    [environment, rail, currency].join(' '),
  )
  for (const [name, rows] of books) await checkBook(check, name, rows)
}

async function checkBook(check: Check, name: string, rows: TotalRow[]): Promise<void> {
  const first = present(rows[0], `${name} is the name of a row`)
  const sums = new Map<string, bigint>()
  for await (const { rows: count, sums: found } of floatPages(check.lane, first, check.rowsPerPage)) {
    for (const { account, amount } of found) sums.set(account, (sums.get(account) ?? 0n) + amount)
    check.progress(count)
  }
  for (const { account, amount, untilAt } of rows) {
    const sum = sums.get(account) ?? 0n
    if (sum === amount) continue
    const message = `the total of ${account} until ${untilAt.toISOString()} is ${amount}, its movements come to ${sum}`
    check.report({ ids: [name], message })
  }
}
