// Lets the world's time jump once the faults are over. It jumps only while the world is at rest, so that no call and no
// query meets a jump, and the service does what is due without a wait in real time.

import { hangMs, realTime } from './clocks.ts'
import type { World } from './world.ts'

/**
 * Processes share the limit of calls at a provider. Over a jump they lose sight of each other, and a process that looks
 * new to the others gets so small a share that work of two calls is never done. So one leap covers most of the time,
 * the processes meet again, and steps of half a minute cover the rest before anything becomes due.
 */
export async function jump(world: World, ms: number): Promise<void> {
  const steps = world.providers === undefined ? 0 : stepsUntilMet(world)
  await leapFar(world, Math.max(0, ms - steps * stepMs))
  for (let step = 0; step < steps; step += 1) await leapFar(world, Math.min(stepMs, ms / steps))
  await untilAtRest(world)
}

/**
 * Leaps once no call waits for its turn within a provider's limit. Otherwise the leap would take the time that the service
 * allows for the call, and work of several calls would fail again each time that it is due.
 */
async function leapFar(world: World, ms: number): Promise<void> {
  await passUntil(world, { eachMs: turnLookMs, withinMs: turnMsMax }, async () => !world.time.isCallHeld())
  await leap(world, ms)
}

const turnLookMs = 100
/** Beyond the time that the service allows for work of several calls. */
const turnMsMax = 30_000

/**
 * Lets time pass in steps of `eachMs` until the condition holds while the world is at rest. Returns whether it held
 * within `withinMs` of world time.
 */
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

/** Resolves when no instance waits for an answer and every instance has dealt with the answers that it got. */
async function untilAtRest({ providers, receivers, members }: World): Promise<void> {
  const isAtRest = (): boolean =>
    (providers?.underWay() ?? 0) === 0 &&
    receivers.underWay() === 0 &&
    members.every(({ instance }) => instance.proxy.waiting() === 0)
  const endMs = performance.now() + hangMs
  for (let looks = 0; looks < looksMin && performance.now() < endMs; looks = isAtRest() ? looks + 1 : 0)
    await realTime(lookAfterMs)
}

/** A process waits for nothing in the moment between two requests, so one look is not enough. */
const lookAfterMs = 1
const looksMin = 5

/** A process counts as new for 20 seconds, and for 40 if its clock runs at half pace. A single process is never new. */
const stepMs = 30_000
function stepsUntilMet({ time, members }: World): number {
  if (members.length === 1) return 0
  return time.database.isStepped() ? 2 : 1
}

/** The loops of the service look as often. */
const lookEveryMs = 1_000
