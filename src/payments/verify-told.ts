// What payments promise about events that are in files, for `ledger verify`: that all that was told of them is either in the
// table, which verify.ts looks at, or in a file.

import type { InLane } from '#base/db.ts'
import { readSeals } from '#events/archive.ts'
import { checkSides } from '#ledger/digests.ts'
import type { Check, Invariant } from '#ledger/invariant.ts'
import { checkArchive } from '#ledger/verify-archive.ts'
import { findMonths, missingDigests, sealedDigests, strayEvents } from './sql-verify-told.ts'

export const toldInvariants: Invariant[] = [
  {
    name: 'archived months of events follow each other, and nothing of theirs is in the table',
    run: (check) => checkArchive(check, { noun: 'events', sealsOf: readSeals, straysOf: strayEvents }),
  },
  { name: 'events that are in files are those that payments have not in the table', run: checkTold },
]

async function checkTold(check: Check): Promise<void> {
  if ((await sealedUntil(check.lane)) === undefined) return
  await checkSides(check, {
    found: sealedDigests,
    wanted: missingDigests,
    // Only the file can name an event.
    findCulprits: () => Promise.resolve([]),
    tell: (culprit: never) => culprit,
    findMonths,
    name: 'payments and events',
    sealedUntil,
  })
}

async function sealedUntil(lane: InLane): Promise<Date | undefined> {
  return (await readSeals(lane)).at(-1)?.until
}
