// Proves the books anew from the movements, beside live traffic: page by page (walk.ts) and in snapshots that end soon
// (pieces.ts). What must hold is a list: a room whose rows promise something about money adds its own entries to it.

import type { Context } from '#base/context.ts'
import { inLane, type InLane } from '#base/db.ts'
import { firstUuid, lastUuid } from '#base/ids.ts'
import { createFindings, type Breach } from './findings.ts'
import type { Invariant } from './invariant.ts'
import { createPace, type Pace } from './pace.ts'
import { takeSnapshot } from './snapshot.ts'
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
  rowsPerSnapshot?: number
  snapshotMs?: number
  /** So many times as long as it works it rests; 0, when nobody else needs the database. */
  restsPerWork?: number
}

export async function verifyLedger({ db }: Context, options: VerifyOptions = {}): Promise<Breach[]> {
  const { invariants = ledgerInvariants, rowsPerPage = 20_000, rowsPerSnapshot = 200_000, snapshotMs: ms } = options
  const pace = createPace(options.restsPerWork ?? 0)
  const breaches: Breach[] = []
  for (const { name, run } of invariants) {
    const findings = createFindings()
    let [checked, isFirstLane] = [0, true]
    const progress = (rows: number): void => {
      checked += rows
      options.onProgress?.({ checked, what: name })
    }
    for await (const number of lanesWithRows(db)) {
      const lane = paced(inLane(db, number), pace)
      const walk = { lane, rowsPerPage, rowsPerSnapshot, from: firstUuid, upTo: lastUuid }
      const atOneMoment = takeSnapshot(db, number, { pace, ms })
      await run({ ...walk, isFirstLane, atOneMoment, report: findings.add, progress })
      isFirstLane = false
    }
    breaches.push(...findings.told(name))
  }
  return breaches
}

function paced({ lane, query }: InLane, pace: Pace): InLane {
  return { lane, query: (what, values) => pace(() => query(what, values)) }
}
