// A verification shares the database with the service.

import { expect, it } from 'vitest'
import { createPace } from '#ledger/table-scan.ts'

/** Keeps the processor busy for this long. Resolves with the start and the end. */
function busy(ms: number): Promise<{ startMs: number; endMs: number }> {
  const startMs = performance.now()
  while (performance.now() < startMs + ms);
  return Promise.resolve({ startMs, endMs: performance.now() })
}

/** A timer may be early by less than this. */
const earlyMs = 1

it('rests in proportion to what the work before took', async () => {
  const pace = createPace(4)
  const first = await pace(() => busy(20))
  const second = await pace(() => busy(40))
  const third = await pace(() => busy(0))
  expect(second.startMs - first.endMs).toBeGreaterThanOrEqual(4 * 20 - earlyMs)
  expect(third.startMs - second.endMs).toBeGreaterThanOrEqual(4 * 40 - earlyMs)
})

it('rests after work that failed, too', async () => {
  const pace = createPace(4)
  await expect(pace(() => busy(20).then(() => Promise.reject(new Error('refused'))))).rejects.toThrow('refused')
  const endMs = performance.now()
  expect((await pace(() => busy(0))).startMs - endMs).toBeGreaterThanOrEqual(4 * 20 - 2 * earlyMs)
})
