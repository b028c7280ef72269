// Time that jumps while nothing goes wrong any more.

import { holdsWithin, realTime } from './clocks.ts'
import type { Providers } from './rails/providers.ts'
import type { World } from './world.ts'

/**
 * Over a jump the processes that share what a provider allows lose sight of each other, and a process that is new to the others
 * takes so small a part that nothing of two calls is ever done. So they are given the time to meet again. A call has a limit of
 * the world's time, so each jump waits for those that are under way: a provider that answers at once is never late. The time to
 * meet goes by in steps below that limit, because a call may begin just before one.
 */
export async function jump({ time, providers }: World, ms: number): Promise<void> {
  if (providers !== undefined) await untilAnswered(providers)
  time.advance(ms)
  if (providers === undefined) return
  await realTime(meetMs)
  for (let step = 1; step <= acquaintedSteps; step += 1) {
    await untilAnswered(providers)
    time.advance(acquaintedMs / acquaintedSteps)
  }
}

/** A call may be several requests, with a moment between two. */
async function untilAnswered({ underWay }: Providers): Promise<void> {
  let looks = 0
  await holdsWithin(answeredMsMax, () => (looks = underWay() === 0 ? looks + 1 : 0) >= looksMin)
}

const meetMs = 100
const acquaintedMs = 21_000
const acquaintedSteps = 3
const looksMin = 3
/** Real time. Some calls are never answered. */
const answeredMsMax = 1_000
