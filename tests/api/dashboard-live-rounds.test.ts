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
  const looks: [atMs: number, isRound: boolean][] = []
  const startMs = performance.now()
  let underWay = 0
  async function look(isRound: boolean): Promise<void> {
    expect((underWay += 1)).toBe(1)
    looks.push([Math.round(performance.now() - startMs), isRound])
    await answer()
    underWay -= 1
  }
  return { looks, ...createRounds({ look, isWanted, ...times }) }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('looks at once when something was written, in place of waiting for the round', async () => {
  const { wake, looks } = paceOf()
  wake()
  await pass(500)
  wake()
  await pass(600)
  expect(looks).toEqual([
    [0, true],
    [500, false],
    [1_000, true],
  ])
})

it('looks at a flood of writes no more often than the gap allows, and the rounds go on', async () => {
  const { wake, looks } = paceOf()
  for (let count = 0; count < 200; count++) {
    wake()
    await pass(10)
  }
  expect(looks.length).toBeLessThanOrEqual(9)
  expect(looks.filter(([, isRound]) => isRound).length).toBeGreaterThanOrEqual(2)
})

it('looks once more for rows that were written during a look, and never twice at a time', async () => {
  const slow = Promise.withResolvers<void>()
  const { wake, looks } = paceOf({ answer: () => slow.promise })
  wake()
  await pass(50)
  wake()
  await pass(50)
  slow.resolve()
  await pass(400)
  expect(looks).toEqual([
    [0, true],
    [350, false],
  ])
})

it('rests without listeners, and after it was stopped', async () => {
  let listening = true
  const { wake, stop, looks } = paceOf({ isWanted: () => listening })
  wake()
  await pass(10)
  listening = false
  await pass(3_000)
  wake()
  await pass(3_000)
  const rested = looks.length
  expect(rested).toBe(2)
  listening = true
  wake()
  await pass(10)
  expect(looks).toHaveLength(rested + 1)
  stop()
  wake()
  await pass(3_000)
  expect(looks).toHaveLength(rested + 1)
})
