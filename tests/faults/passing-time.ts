// Time that passes only when a test says so, while what the database, the sockets and the lanes do is real.

import { vi } from 'vitest'
import type { FakeClock } from '#tests/support/clock.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { comeAndAsk } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'

export type Timed = { clock: FakeClock; database: TestDatabase }

const stepMsUsual = 5_000
/** By then everything has happened that will, unless steps are too long. */
const minutesOfSteps = 20

/** Step by step; after each somebody comes and asks the database, which gives everybody the time to act. */
export async function pass({ clock, database }: Timed, seconds: number, stepMs = stepMsUsual): Promise<void> {
  for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += stepMs) {
    clock.advance(stepMs)
    vi.advanceTimersByTime(stepMs)
    await comeAndAsk(database)
  }
}

/**
 * Minute by minute. A session must begin within five seconds of that time: where the machine is too busy for that within a step, the
 * steps get shorter.
 */
export async function passUntil(timed: Timed, check: () => Promise<void>): Promise<void> {
  let minutes = 0
  await untilHolds(async () => {
    await pass(timed, 60, stepMsUsual / 2 ** Math.floor(minutes / minutesOfSteps))
    minutes += 1
    await check()
  })
}
