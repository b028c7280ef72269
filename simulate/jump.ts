// Time that jumps while nothing goes wrong any more.

import { hangMs, holdsWithin, type WorldTime } from './clocks.ts'
import type { Providers } from './rails/providers.ts'
import type { World } from './world.ts'

/**
 * Over a jump the processes that share what a provider allows lose sight of each other, and a process that is new to the others
 * takes so small a part that nothing of two calls is ever done. What becomes due at the end of a jump must not find them so:
 * most of the jump is one leap, after which they meet again, and then the rest goes by in steps. A call has a limit of the
 * world's time, so each step is below it and waits for the calls that are under way: a provider that answers at once is never
 * late.
 */
export async function jump({ time, providers, database, members }: World, ms: number): Promise<void> {
  if (providers === undefined) return time.advance(ms)
  const reports = (): Promise<string[]> => database.ask<{ report: string }>(processReports).then(textsOf)
  const before = new Set(await reports())
  const haveMet = async (): Promise<boolean> =>
    (await reports()).filter((report) => !before.has(report)).length >= members.length
  const leapMs = Math.max(0, ms - acquaintedMs)
  await pass(providers, time, leapMs)
  // A process that was just about to wait for its next report does so for the whole of its time.
  for (let look = 1; look <= looksMax && !(await holdsWithin(metMsMax, haveMet)); look += 1)
    await pass(providers, time, stepMs)
  for (let passedMs = leapMs; passedMs < ms; passedMs += stepMs)
    await pass(providers, time, Math.min(stepMs, ms - passedMs))
}

async function pass(providers: Providers, time: WorldTime, ms: number): Promise<void> {
  await untilAnswered(providers)
  time.advance(ms)
}

/** A call may be several requests, with a moment between two. */
async function untilAnswered({ underWay }: Providers): Promise<void> {
  let looks = 0
  await holdsWithin(hangMs, () => (looks = underWay() === 0 ? looks + 1 : 0) >= looksMin)
}

/** Each process writes another one after a jump. */
const processReports = 'select id || alive_until::text as report from rail_process'
const textsOf = (rows: { report: string }[]): string[] => rows.map(({ report }) => report)

/** Real time, on a machine that does other things as well. */
const metMsMax = 2_000
const looksMax = 5
/** A process whose clock is slowed to half its pace counts as new for 40 seconds. */
const acquaintedMs = 50_000
const stepMs = 10_000
const looksMin = 3
