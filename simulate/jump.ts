// Time that jumps while nothing goes wrong any more. It jumps only while the world is at rest, so that no call and no query
// meets a jump, and no real time has to pass for the service to do what is due.

import { hangMs, realTime } from './clocks.ts'
import type { World } from './world.ts'

/**
 * Over a jump the processes that share what a provider allows lose sight of each other, and a process that is new to the others
 * takes so small a part that nothing of two calls is ever done. What becomes due at the end of a jump must not find them so:
 * most of the jump is one leap, after which they meet again, and then the rest goes by in steps.
 */
export async function jump(world: World, ms: number): Promise<void> {
  const steps = world.providers === undefined ? 0 : stepsUntilMet(world)
  await leap(world, Math.max(0, ms - steps * stepMs))
  for (let step = 0; step < steps; step += 1) await leap(world, Math.min(stepMs, ms / steps))
  await untilAtRest(world)
}

/** Lets time pass, so much at once, until this holds at rest; says whether it did within so much time of the world. */
export async function passUntil(
  world: World,
  { eachMs = lookEveryMs, withinMs }: { eachMs?: number; withinMs: number },
  holds: () => Promise<boolean>,
): Promise<boolean> {
  await untilAtRest(world)
  for (let passedMs = 0; !(await holds()); passedMs += eachMs) {
    if (passedMs >= withinMs) return false
    await leap(world, eachMs)
    await untilAtRest(world)
  }
  return true
}

async function leap(world: World, ms: number): Promise<void> {
  await untilAtRest(world)
  world.time.advance(ms)
}

/** Resolves when no instance waits for an answer, and none has one that it still has to act on. */
async function untilAtRest({ providers, receivers, members }: World): Promise<void> {
  const isAtRest = (): boolean =>
    (providers?.underWay() ?? 0) === 0 &&
    receivers.underWay() === 0 &&
    members.every(({ instance }) => instance.proxy.waiting() === 0)
  const endMs = performance.now() + hangMs
  for (let looks = 0; looks < looksMin && performance.now() < endMs; looks = isAtRest() ? looks + 1 : 0)
    await realTime(lookAfterMs)
}

/** Between two requests of a process is a moment in which it waits for nothing. */
const lookAfterMs = 1
const looksMin = 5

/** A process counts as new for 20 seconds, and for 40 where its clock is slowed to half its pace. One alone is never new. */
const stepMs = 30_000
function stepsUntilMet({ time, members }: World): number {
  if (members.length === 1) return 0
  return time.database.isStepped() ? 2 : 1
}

/** The loops of the service look as often. */
const lookEveryMs = 1_000
