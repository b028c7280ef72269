// New rows never move the row under the pointer: while the pointer is over a list, its rows keep their places and show
// their current state, and a bar shows the number of new ones.

import { useState } from 'react'

export type HeldRows<Row> = {
  rows: readonly Row[] | undefined
  /** Number of new rows that are not shown yet. */
  waiting: number
  hold: () => void
  release: () => void
}

/** `list` names the list that is shown. After a change of page or filter, no row of the previous list is kept. */
export function useHeldRows<Row>(
  fresh: readonly Row[] | undefined,
  keyOf: (row: Row) => string,
  list: string,
): HeldRows<Row> {
  const [held, setHeld] = useState<{ keys: readonly string[]; list: string }>()
  const release = (): void => setHeld(undefined)
  const hold = (): void => {
    if (fresh !== undefined) setHeld({ keys: fresh.map(keyOf), list })
  }
  if (held?.list !== list || fresh === undefined) return { rows: fresh, waiting: 0, hold, release }
  const now = new Map(fresh.map((row) => [keyOf(row), row]))
  const keys = new Set(held.keys)
  const waiting = fresh.filter((row) => !keys.has(keyOf(row))).length
  // Rows that new rows push off the page are missing in the answer, so they leave the screen too.
  const rows = held.keys.flatMap((key) => now.get(key) ?? [])
  return waiting === 0 ? { rows: fresh, waiting, hold, release } : { rows, waiting, hold, release }
}
