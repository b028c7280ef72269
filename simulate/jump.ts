// Time that jumps while nothing goes wrong any more.

import { holdsWithin, type WorldTime } from './clocks.ts'
import type { Providers } from './rails/providers.ts'
import type { World } from './world.ts'

/**
 * Over a jump the processes that share what a provider allows lose sight of each other, and a process that is new to the others
 * takes so small a part that nothing of two calls is ever done. So they are given the time to meet again. A call has a limit of
 * the world's time, so each jump waits for those that are under way: a provider that answers at once is never late. The time to
 * meet goes by in steps below that limit, because a call may begin just before one.
 */
export async function jump({ time, providers, database, members }: World, ms: number): Promise<void> {
  if (providers === undefined) return time.advance(ms)
  await untilAnswered(providers)
  const reports = (): Promise<string[]> => database.ask<{ report: string }>(processReports).then(textsOf)
  const before = new Set(await reports())
  time.advance(ms)
  const haveMet = async (): Promise<boolean> =>
    (await reports()).filter((report) => !before.has(report)).length >= members.length
  // A process that was just about to wait for its next report does so for the whole of its time.
  for (let look = 1; look <= looksMax && !(await holdsWithin(metMsMax, haveMet)); look += 1)
    await pass(providers, time, stepMs)
  for (let passedMs = 0; passedMs < acquaintedMs; passedMs += stepMs) await pass(providers, time, stepMs)
}

async function pass(providers: Providers, time: WorldTime, ms: number): Promise<void> {
  await untilAnswered(providers)
  time.advance(ms)
}

/** A call may be several requests, with a moment between two. */
async function untilAnswered({ underWay }: Providers): Promise<void> {
  let looks = 0
  await holdsWithin(answeredMsMax, () => (looks = underWay() === 0 ? looks + 1 : 0) >= looksMin)
}

/** Each process writes another one after a jump. */
const processReports = 'select id || alive_until::text as report from rail_process'
const textsOf = (rows: { report: string }[]): string[] => rows.map(({ report }) => report)

/** Real time, on a machine that does other things as well. */
const metMsMax = 2_000
const looksMax = 5
const acquaintedMs = 21_000
const stepMs = 7_000
const looksMin = 3
/** Real time. Some calls are never answered. */
const answeredMsMax = 1_000
