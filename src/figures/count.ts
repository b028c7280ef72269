// Counting what happens, in the transaction that makes it so. What a transaction gathers leaves as one statement, a row for
// each tenant, hour, kind and outcome, so a batch of hundreds of payments writes two or three rows of figures. Its tenants'
// locks are held by then, so nobody waits for them here (docs/adr/0022-figures-are-counted-in-the-batch.md).

import type { Tx } from '#base/db.ts'
import { durationIndex, durations, hourOf, isWithin, type Happening } from './figure.ts'
import { addFigures, type FigureRow } from './sql.ts'
import { tellWatchers } from './watch.ts'

/** The tenant's lock is held by this transaction. */
export function countFigure(tx: Tx, happening: Happening): void {
  const { amount, fee = 0n, tookMs } = happening
  const row = rowOf(gatheredIn(tx), happening)
  row.count += 1n
  row.amount += amount
  row.fees += fee
  if (tookMs === undefined) return
  const index = durationIndex(tookMs)
  row.took[index] = (row.took[index] ?? 0n) + 1n
}

type Gathered = { rows: Map<string, FigureRow>; last: FigureRow | undefined }

/** Neighbours in a batch mostly count in the same row, which is found without making a key: 0.1 µs in place of 1. */
function rowOf(gathered: Gathered, { tenantId, kind, currency, outcome, reason = '', at }: Happening): FigureRow {
  const { rows, last } = gathered
  if (
    last !== undefined &&
    last.tenantId === tenantId &&
    last.outcome === outcome &&
    last.kind === kind &&
    last.reason === reason &&
    last.currency === currency &&
    isWithin(last.hour, at)
  )
    return last
  const hour = hourOf(at)
  const name = `${tenantId} ${hour.getTime()} ${kind} ${currency} ${outcome} ${reason}`
  const nothing = { count: 0n, amount: 0n, fees: 0n, took: durations.map(() => 0n) }
  const row = rows.get(name) ?? { tenantId, hour, kind, currency, outcome, reason, ...nothing }
  rows.set(name, row)
  return (gathered.last = row)
}

const key = Symbol('figures of this transaction')

function gatheredIn(tx: Tx): Gathered {
  return tx.shared(key, () => {
    const gathered: Gathered = { rows: new Map(), last: undefined }
    tx.beforeCommit(() => addFigures(tx, [...gathered.rows.values()]))
    tx.afterCommit(() => tellWatchers(gathered.rows.values()))
    return gathered
  })
}
