// Counting what happens, in the transaction that makes it so. What a transaction gathers leaves as one statement, a row for
// each tenant, hour, kind and outcome, so a batch of hundreds of payments writes two or three rows of figures. Its tenants'
// locks are held by then, so nobody waits for them here (docs/adr/0022-figures-are-counted-in-the-batch.md).

import type { Tx } from '#base/db.ts'
import { durationIndex, durations, hourOf, type Happening } from './figure.ts'
import { addFigures, type FigureRow } from './sql.ts'

/** The tenant's lock is held by this transaction. */
export function countFigure(tx: Tx, happening: Happening): void {
  const rows = gatheredIn(tx)
  const { tenantId, kind, currency, outcome, reason = '', at, amount, fee = 0n, tookMs } = happening
  const hour = hourOf(at)
  const key = `${tenantId} ${hour.getTime()} ${kind} ${currency} ${outcome} ${reason}`
  let row = rows.get(key)
  if (row === undefined) {
    const nothing = { count: 0n, amount: 0n, fees: 0n, took: durations.map(() => 0n) }
    rows.set(key, (row = { tenantId, hour, kind, currency, outcome, reason, ...nothing }))
  }
  row.count += 1n
  row.amount += amount
  row.fees += fee
  if (tookMs === undefined) return
  const index = durationIndex(tookMs)
  row.took[index] = (row.took[index] ?? 0n) + 1n
}

const key = Symbol('figures of this transaction')

function gatheredIn(tx: Tx): Map<string, FigureRow> {
  return tx.shared(key, () => {
    const rows = new Map<string, FigureRow>()
    tx.beforeCommit(() => addFigures(tx, [...rows.values()]))
    return rows
  })
}
