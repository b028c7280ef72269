// How much of the time a proof works. It reads every row, beside a service that has callers: without rests five million
// movements took a third of what the service accepted.

import { setTimeout as delay } from 'node:timers/promises'

/** Does the work when the rest that the work before it has earned is over. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>

/** Rests so many times as long as it works: 6 of 7 s. A page that took long, because others are busy, earns a long one. */
export const usualRest = 6

/** A rest within a snapshot makes it older, and a connection that is idle for 30 s in a transaction is cut. */
const restMsMax = 2_000

export function createPace(restsPerWork: number): Pace {
  let restMs = 0
  return async (work) => {
    if (restMs > 0) await delay(restMs)
    const startMs = performance.now()
    try {
      return await work()
    } finally {
      restMs = Math.min((performance.now() - startMs) * restsPerWork, restMsMax)
    }
  }
}
