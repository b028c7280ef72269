// What archiving needs of movements: their lines, their totals, and their seals.

import type { InLane } from '#platform/db/db.ts'
import {
  findLastEntry,
  insertSeal,
  monthlyMovements,
  readDigests,
  readSealed,
  type CauseDigest,
  type SealedSum,
} from '#ledger/archive.ts'
import { createDigests, createTally, sumText, type BalanceAtEnd, type MovementTally } from './totals.ts'
import type { ArchiveReading, ArchiveSource, Month } from './source.ts'

export const movements: ArchiveSource = {
  ...monthlyMovements,
  name: 'movements',
  // An unfinished payment makes its next movements in a later month, so nothing has to wait for it.
  notYet: () => Promise.resolve(undefined),
  createTally,
  createReading: readingOf,
}

function readingOf(lane: InLane, month: Month): ArchiveReading {
  const tally = createTally(month)
  const digests = createDigests<CauseDigest>(({ tenantId, cause }) => `${tenantId} ${cause}`)
  const sealed = () => ({ sums: tally.sums(), digests: digests.all() })
  return {
    tally,
    compare: async (lines) => digests.add(await readDigests(lane, lines)),
    fault: async () => tally.breaks(await leftBefore(lane, tally.sums(), month))[0],
    seal: (tx, head) => insertSeal(tx, { ...head, ...sealed() }),
    isSealed: async (until) => textOf(await readSealed(lane, until)) === textOf(sealed()),
  }
}

/** The last entries and balances at the end of the previous month. */
async function leftBefore(
  lane: InLane,
  sums: SealedSum[],
  { since }: Month,
): Promise<Parameters<MovementTally['breaks']>[0]> {
  const left = new Map<string, BalanceAtEnd>()
  for (const { tenantId, currency } of sums.filter(({ name }) => name === 'available')) {
    const found = await findLastEntry(lane, { tenantId, currency, until: since })
    if (found !== undefined) left.set(`${tenantId} ${currency}`, found)
  }
  return (tenantId, currency) => left.get(`${tenantId} ${currency}`)
}

function textOf({ sums, digests }: { sums: SealedSum[]; digests: CauseDigest[] }): string {
  const lines = [
    ...sums.map((sum) => sumText(sum).join(' ')),
    ...digests.map(({ tenantId, cause, count, digest }) => `${tenantId} ${cause} ${count} ${digest}`),
  ]
  return lines.toSorted().join('\n')
}
