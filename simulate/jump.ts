// Lets world time jump once the faults are over, so that the service does what is due without a wait in real time. Time jumps
// only while no call and no query is under way, because a jump would make them time out.

import { hangMs, realTime } from './clocks.ts'
import type { World } from './world.ts'

/**
 * Processes share a provider's rate limit. After a long jump each process counts as new to the others, and a new
 * process gets so small a share that work that needs two calls is never done. So one leap covers most of the time,
 * and steps of half a minute cover the rest: in these steps the processes report to each other again before anything
 * becomes due.
 */
export async function jump(world: World, ms: number): Promise<void> {
  const steps = world.providers === undefined ? 0 : stepsUntilMet(world)
  await leapFar(world, Math.max(0, ms - steps * stepMs))
  for (let step = 0; step < steps; step += 1) await leapFar(world, Math.min(stepMs, ms / steps))
  await untilAtRest(world)
}

/**
 * Leaps once no call waits for a provider's rate limit, or after `turnMsMax`. The leap would use up the time that the
 * service allows for such a call, so work that needs several calls would fail each time that it is due.
 */
async function leapFar(world: World, ms: number): Promise<void> {
  await passUntil(world, { eachMs: turnPollMs, withinMs: turnMsMax }, async () => !world.time.isCallHeld())
  await leap(world, ms)
}

const turnPollMs = 100
/** More than the time that the service allows for work that needs several calls. */
const turnMsMax = 30_000

/**
 * Lets time pass in steps of `eachMs` until the condition holds while the world is at rest. Returns whether it held
 * within `withinMs` of world time.
 */
export async function passUntil(
  world: World,
  { eachMs = pollEveryMs, withinMs }: { eachMs?: number; withinMs: number },
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

/** Resolves when no instance waits for an answer of PostgreSQL, a provider or a receiver. */
async function untilAtRest({ providers, receivers, members }: World): Promise<void> {
  const isAtRest = (): boolean =>
    (providers?.underWay() ?? 0) === 0 &&
    receivers.underWay() === 0 &&
    members.every(({ instance }) => instance.proxy.waiting() === 0)
  const endMs = performance.now() + hangMs
  for (let atRest = 0; atRest < atRestMin && performance.now() < endMs; atRest = isAtRest() ? atRest + 1 : 0)
    await realTime(restPollMs)
}

const restPollMs = 1
/** Between two requests an instance waits for nothing for a moment, so the world must be at rest this often in a row. */
const atRestMin = 5

/**
 * A process counts as new for 20 seconds, so one step is enough. If PostgreSQL's clock was set back, clocks run at half
 * pace, so two steps are needed. A single process is never new.
 */
const stepMs = 30_000
function stepsUntilMet({ time, members }: World): number {
  if (members.length === 1) return 0
  return time.database.isStepped() ? 2 : 1
}

/** The loops of the service run this often too. */
const pollEveryMs = 1_000
