// The set-up of tests about executing payments: processes on one database, a rail that answers as a test says, and a
// clock that only a test moves.

import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { requestOf, rowOf, startProcess, turn, until, type Process, type ProcessOptions } from './process.ts'

/** For the top of a test file. Each test begins without payments, and with a rail that got no calls. */
export async function useExecuting() {
  const database = await useTestDatabase()
  const clock = createFakeClock()
  const rail = createScriptedPayout(clock)

  beforeEach(async () => {
    await asOwner(database, 'truncate payment, event')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    rail.forget()
  })
  afterEach(() => vi.useRealTimers())

  return {
    database,
    clock,
    rail,
    start: (options: Partial<ProcessOptions> = {}): Process => startProcess({ database, clock, rail, ...options }),
    async accept(process: Process, tenant: Tenant): Promise<string> {
      const request = requestOf()
      const outcome = await process.payments.initiate(tenant, request)
      expect(outcome.kind).toBe('accepted')
      await turn()
      return request.reference
    },
    pass(seconds: number): void {
      clock.advance(seconds * 1_000)
      vi.advanceTimersByTime(seconds * 1_000)
    },
    untilStatus: (reference: string, status: string): Promise<void> =>
      until(async () => (await rowOf(database, reference)).status === status, `it is ${status}`),
  }
}
