// The live stream reads changes at once when it is woken, never twice at a time, and not at all without listeners.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRounds } from '#api/dashboard/live.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const times = { roundMs: 1_000, gapMs: 250 }

type How = { isWanted?: () => boolean; answer?: () => Promise<void> }

function paceOf({ isWanted = () => true, answer = () => Promise.resolve() }: How = {}) {
  const checks: [atMs: number, isRound: boolean][] = []
  const startMs = performance.now()
  let underWay = 0
  async function check(isRound: boolean): Promise<void> {
    expect((underWay += 1)).toBe(1)
    checks.push([Math.round(performance.now() - startMs), isRound])
    await answer()
    underWay -= 1
  }
  return { checks, ...createRounds({ check, isWanted, ...times }) }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('checks at once when something was written, in place of waiting for the round', async () => {
  const { wake, checks } = paceOf()
  wake()
  await pass(500)
  wake()
  await pass(600)
  expect(checks).toEqual([
    [0, true],
    [500, false],
    [1_000, true],
  ])
})

it('checks during a flood of writes no more often than the gap allows, and the rounds continue', async () => {
  const { wake, checks } = paceOf()
  for (let count = 0; count < 200; count++) {
    wake()
    await pass(10)
  }
  expect(checks.length).toBeLessThanOrEqual(9)
  expect(checks.filter(([, isRound]) => isRound).length).toBeGreaterThanOrEqual(2)
})

it('checks again for rows that were written during a check, and runs one check at a time', async () => {
  const slow = Promise.withResolvers<void>()
  const { wake, checks } = paceOf({ answer: () => slow.promise })
  wake()
  await pass(50)
  wake()
  await pass(50)
  slow.resolve()
  await pass(400)
  expect(checks).toEqual([
    [0, true],
    [350, false],
  ])
})

it('rests without listeners, and after it was stopped', async () => {
  let listening = true
  const { wake, stop, checks } = paceOf({ isWanted: () => listening })
  wake()
  await pass(10)
  listening = false
  await pass(3_000)
  wake()
  await pass(3_000)
  const rested = checks.length
  expect(rested).toBe(2)
  listening = true
  wake()
  await pass(10)
  expect(checks).toHaveLength(rested + 1)
  stop()
  wake()
  await pass(3_000)
  expect(checks).toHaveLength(rested + 1)
})
