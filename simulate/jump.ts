// Time that jumps while nothing goes wrong any more.

import { holdsWithin, realTime } from './clocks.ts'
import type { World } from './world.ts'

/**
 * Over a jump the processes that share what a provider allows lose sight of each other, and a process that is new to the others
 * takes so small a part that nothing of two calls is ever done. So they are given the time to meet again. A call has a limit of
 * the world's time, so each jump waits for those that are under way: a provider that answers at once is never late.
 */
export async function jump({ time, providers }: World, ms: number): Promise<void> {
  const callsAreAnswered = (): Promise<boolean> => holdsWithin(answeredMsMax, () => providers?.underWay() === 0)
  if (providers !== undefined) await callsAreAnswered()
  time.advance(ms)
  if (providers === undefined) return
  await realTime(meetMs)
  await callsAreAnswered()
  time.advance(acquaintedMs)
}

const meetMs = 100
const acquaintedMs = 21_000
/** Real time. Some calls are never answered. */
const answeredMsMax = 1_000
