// Time that only a test moves, while database, sockets and lanes are real.

import { vi } from 'vitest'
import type { FakeClock } from '#tests/support/clock.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { comeAndAsk } from '#tests/support/owner.ts'

type Timed = { clock: FakeClock; database: TestDatabase }

export const usualStepMs = 5_000

/** Moves the clock in steps. A query follows each step, which gives the processes time to act. */
export async function pass({ clock, database }: Timed, seconds: number, stepMs = usualStepMs): Promise<void> {
  for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += stepMs) {
    clock.advance(stepMs)
    vi.advanceTimersByTime(stepMs)
    await comeAndAsk(database)
  }
}
