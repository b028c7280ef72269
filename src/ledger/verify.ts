// Proves the books anew from the movements. It reads one snapshot, so it can run beside live traffic, and page by page
// (walk.ts). What must hold is a list: a room whose rows promise something about money adds its own entries to it.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { firstUuid, lastUuid } from '#base/ids.ts'
import { createFindings, type Breach } from './findings.ts'
import type { Invariant } from './invariant.ts'
import { lanesWithRows } from './sql-verify.ts'
import { checkBalances, checkEntries, checkNegatives, checkTotals } from './verify-checks.ts'

export const ledgerInvariants: Invariant[] = [
  { name: 'the totals of an account are the sums of its movements', run: checkTotals },
  { name: 'the balances of a tenant and currency sum to zero', run: checkBalances },
  { name: 'available and reserved are never negative', run: checkNegatives },
  { name: 'entries are dense from 1, and each balance follows from the one before', run: checkEntries },
]

export type VerifyOptions = {
  /** What must hold; the ledger's own when left out. */
  invariants?: Invariant[]
  onProgress?: (done: { checked: number; what: string }) => void
  rowsPerPage?: number
}

export function verifyLedger(ctx: Context, options: VerifyOptions = {}): Promise<Breach[]> {
  const { invariants = ledgerInvariants, rowsPerPage = 20_000 } = options
  return ctx.db.snapshot(async (tx) => {
    const breaches: Breach[] = []
    for (const { name, run } of invariants) {
      const findings = createFindings()
      let checked = 0
      const progress = (rows: number): void => {
        checked += rows
        options.onProgress?.({ checked, what: name })
      }
      for await (const lane of lanesWithRows(tx)) {
        const walk = { lane: inLane(tx, lane), rowsPerPage, from: firstUuid, upTo: lastUuid }
        await run({ ...walk, report: findings.add, progress })
      }
      breaches.push(...findings.told(name))
    }
    return breaches
  })
}
