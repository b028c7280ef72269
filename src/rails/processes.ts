// The processes that serve rails, as they know of each other. Each renews a row of its own every few seconds, in which it
// also says what its breakers do. So each knows which part of a provider's limits is its own, and a command in another
// process knows what they experience. No call of a provider waits for that. A process that dies is forgotten within a minute.

import { randomUUID } from 'node:crypto'
import type { Context } from '#base/context.ts'
import { secondMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import type { Opening } from './breaker.ts'
import type { GuardedPort } from './guard.ts'
import { countProcesses, readReports, removeProcess, renewProcess } from './sql-processes.ts'

/** What is not closed. */
export type BreakerReport = { rail: string; port: GuardedPort } & Opening

export type Processes = {
  /** Which part of what providers allow is this process's: those of all processes together are never more than all of it. */
  share(): number
  /** Tells the others of this process, and counts them. */
  renew(): Promise<void>
  leave(): Promise<void>
}

/** A process that is new takes this part of a share: of what the others leave free, until they know of it. */
export const shareOfNew = 1 / 4

export const renewEveryMs = 10 * secondMs
/** Two of its turns may fail. */
const lifeMs = 45 * secondMs
/** Each of the others has taken a turn by then. */
const newMs = 2 * renewEveryMs

export function createProcesses(ctx: Context, breakers: () => BreakerReport[]): Processes {
  const { db, clock } = ctx
  const id = randomUUID() as Uuid // The clock of a process has no time before it starts.
  let count = 1
  let knownUntilMs = -Infinity
  let newUntilMs = Infinity

  return {
    share() {
      const nowMs = clock.now()
      const isNew = nowMs < newUntilMs || nowMs >= knownUntilMs
      return (isNew ? shareOfNew : 1) / count
    },
    async renew() {
      const nowMs = clock.now()
      const wasKnown = nowMs < knownUntilMs
      // In two steps, each committed: of two processes that begin at once, one sees the other.
      await renewProcess(db, { id, now: new Date(nowMs), until: new Date(nowMs + lifeMs), breakers: breakers() })
      count = Math.max(1, await countProcesses(db, new Date(nowMs)))
      knownUntilMs = nowMs + lifeMs
      if (!wasKnown) newUntilMs = count === 1 ? nowMs : nowMs + newMs
    },
    leave: () => removeProcess(db, id),
  }
}

/** What processes that live say is not closed, the oldest first. */
export function listBreakers({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<BreakerReport[]> {
  return readReports(db, new Date(clock.now()))
}
