// What months in files promise, for `ledger verify`: they are a chain without a gap, and the table has nothing of what it has
// handed over. That a file is the one that was sealed, `manilla archive verify` proves.

import type { InLane } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import type { Seal } from '#base/months.ts'
import type { Check, Invariant } from './invariant.ts'
import type { Strays } from './archived.ts'
import { readSeals, strayPages } from './sql-seals.ts'
import type { Page, Walk } from './walk.ts'

export const archiveInvariants: Invariant[] = [
  {
    name: 'archived months follow each other, and nothing of theirs is in the table',
    run: (check) => checkArchive(check, { noun: 'movements', sealsOf: readSeals, straysOf: strayPages }),
  },
]

export type Archived = {
  noun: string
  sealsOf: (lane: InLane) => Promise<Seal[]>
  /** Rows in the table that are dated in a month whose rows were all taken out. */
  straysOf: (walk: Walk, first: Uuid) => AsyncGenerator<Page<Strays>>
}

/** `noun`: what the months are made of. */
export async function checkArchive(check: Check, { noun, sealsOf, straysOf }: Archived): Promise<void> {
  const { lane, report, progress } = check
  const seals = await sealsOf(lane)
  for (const [at, seal] of seals.entries()) {
    if (follows(seal, seals[at - 1])) continue
    const message = `lane ${lane.lane}: an archived month of ${noun} does not follow from the one before it`
    report({ ids: [seal.since.toISOString().slice(0, 7)], message })
  }
  progress(seals.length)
  if (seals.every(({ removedAt }) => removedAt === null)) return
  for await (const { rows, parts } of straysOf(check, firstUuid)) {
    for (const { tenantId, count, ids } of parts) {
      const message = `${noun} of a month whose rows were all taken out`
      report({ tenantId, ids, count: Number(count), message })
    }
    progress(rows)
  }
}

function follows({ since, previous }: Seal, before: Seal | undefined): boolean {
  if (before === undefined) return previous === null
  return since.getTime() === before.until.getTime() && previous?.equals(before.digest) === true
}
