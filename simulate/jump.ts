// Time that jumps while nothing goes wrong any more.

import { realTime } from './clocks.ts'
import type { World } from './world.ts'

/**
 * Over a jump the processes that share what a provider allows lose sight of each other, and a process that is new to the others
 * takes so small a part that nothing of two calls is ever done. So they are given the time to meet again.
 */
export async function jump({ time, providers }: World, ms: number): Promise<void> {
  time.advance(ms)
  if (providers === undefined) return
  await realTime(meetMs)
  time.advance(acquaintedMs)
}

const meetMs = 100
const acquaintedMs = 21_000
