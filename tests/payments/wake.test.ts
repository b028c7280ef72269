// Waking what was held back: in pieces, lane after lane, until nothing is left.

import { expect, it } from 'vitest'
import type { Db, InLane } from '#base/db.ts'
import { wakeInPieces } from '#payments/wake.ts'
import { createFakeClock } from '#tests/support/clock.ts'

it('what was held back is woken a thousand at a time, lane after lane, and counted', async () => {
  const clock = createFakeClock()
  const held = new Map([
    [1, 2_000],
    [2, 0],
    [3, 999],
  ])
  const pieces: [lane: number, nowMs: number, woken: number][] = []
  const wake = async ({ lane }: InLane, now: Date, max: number): Promise<number> => {
    const [left, startedMs] = [held.get(lane) ?? 0, now.getTime()]
    const woken = Math.min(left, max)
    held.set(lane, left - woken)
    pieces.push([lane, startedMs, woken])
    return woken
  }
  const nowMs = clock.now()
  expect(await wakeInPieces({ db: {} as Db, clock }, [1, 2, 3], wake)).toBe(2_999)
  expect(pieces).toEqual([
    [1, nowMs, 1_000],
    [1, nowMs, 1_000],
    [1, nowMs, 0],
    [2, nowMs, 0],
    [3, nowMs, 999],
  ])
})
