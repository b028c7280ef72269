// Invariants of corrections for `ledger verify`.

import type { InvariantCheck, Invariant } from '#ledger/invariant.ts'
import { adjustmentPages, findClosedItems } from './adjust.ts'

export const correctionInvariants: Invariant[] = [
  { name: 'each adjustment names a review item that is closed', run: checkAdjustments },
]

async function checkAdjustments(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of adjustmentPages(check)) {
    // Items are read after the adjustments, which were committed together with the closing of their items.
    const items = [...new Set(parts.map(({ item }) => item))]
    const closed = items.length === 0 ? new Set() : await findClosedItems(check.lane, items)
    for (const { tenantId, id, item, reference } of parts)
      if (!closed.has(item)) check.report({ tenantId, ids: [id], message: `${reference} is no closed review item` })
    check.progress(rows)
  }
}
