// What the processes tell each other of what they counted: sums in the database, one statement at a time for all that is
// to be told, and none for a request. When the database does not answer, each process counts for itself.

import type { Context } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import { sha256 } from '#base/secret.ts'
import type { TellOthers } from './quota.ts'
import { addUses, forgetMinutesBefore } from './sql-quota.ts'

type Told = Parameters<TellOthers>[0] & { resolve: (all: number) => void; reject: (error: unknown) => void }

/** After a failure nothing is told for so long. */
const restMs = 1_000

export function createQuotaSharing({ db, clock, log }: Context): TellOthers {
  let waiting: Told[] = []
  let isTelling = false
  let restsUntilMs = 0
  let newestWindow = 0

  async function tellAll(): Promise<void> {
    isTelling = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await add(batch)
      } catch (error) {
        restsUntilMs = clock.now() + restMs
        log.warn({ err: error }, 'the other processes could not be told what this one counted against quotas')
        for (const { reject } of batch) reject(error)
      }
    }
    isTelling = false
  }

  async function add(batch: readonly Told[]): Promise<void> {
    const sums = await addUses(
      db,
      batch.map(({ bucket, window, more }) => ({ bucket: sha256(bucket), window, more })),
    )
    for (const [index, { resolve, more }] of batch.entries()) resolve(sums[index] ?? more)
    const newest = Math.max(...batch.map(({ window }) => window))
    if (newest <= newestWindow) return
    newestWindow = newest
    await forgetMinutesBefore(db, newest - 1)
  }

  return (told) => {
    if (clock.now() < restsUntilMs) return Promise.reject(new Unavailable('Quotas are not shared at the moment.'))
    return new Promise((resolve, reject) => {
      waiting.push({ ...told, resolve, reject })
      if (!isTelling) void tellAll()
    })
  }
}
