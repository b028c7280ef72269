// A process caches the brakes: it asks rarely, a brake in steady use never waits for the database, and each brake names
// its business and rail. The database is a fake whose answers are counted.

import { beforeEach, expect, it } from 'vitest'
import type { Environment } from '#platform/context.ts'
import type { Db } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { resumePayouts, watchBrakes, type BrakeWatch, type BrakeState } from '#payments/brakes.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'

let ctx: TestContext
let brakes: BrakeWatch
let answers: number
let rows: BrakeState[]
let heard: string[]

beforeEach(() => {
  answers = 0
  rows = []
  heard = []
  const query = async () => ((answers += 1), rows)
  ctx = createTestContext({ readers: { query } } as unknown as Db)
  brakes = watchBrakes(ctx, {
    avoid: (rails) => void heard.push(`avoid ${[...rails].toSorted().join()}`),
    forgiveRefusals: (rail) => void heard.push(`forgive ${rail}`),
  })
})

const tenantIn = (environment: Environment) => ({ id: newUuid(ctx.clock.now()), lane: 1, environment })
const rowOf = (row: Partial<BrakeState>): BrakeState => {
  return { environment: 'production', tenantId: null, rail: null, resumedAt: null, ...row }
}
const on = (ms: number): Date => new Date(ctx.clock.now() + ms)

/**
 * Lets time pass and asks for the brakes. Resolves with whether that waited for the database, and with the number of
 * its answers so far.
 */
async function ask(afterMs: number, question: () => unknown): Promise<[waits: boolean, answers: number]> {
  ctx.clock.advance(afterMs)
  const answer = question()
  await answer
  return [answer instanceof Promise, answers]
}

it.each([
  ['the question for all', () => brakes.now()],
  ['the question whether one rail is stopped', () => brakes.isStopped('a')],
])('%s believes an answer for less than a second, and asks again before that is over', async (_which, question) => {
  expect(await ask(0, question)).toEqual([true, 1])
  expect(await ask(399, question)).toEqual([false, 1])
  // Both questions run in the background, while the caller gets the cached answer.
  expect(await ask(1, question)).toEqual([false, 2])
  expect(await ask(400, question)).toEqual([false, 3])
  expect(await ask(900, question)).toEqual([true, 4])
})

it('an answer is believed for less than a second also while the clock is slowed down', async () => {
  await ask(0, () => brakes.now())
  ctx.clock.set(-450)
  expect(await ask(900, () => brakes.now())).toEqual([true, 2])
})

it('a tenant that a pause names is paused, and no other; a stopped rail pauses no tenant', async () => {
  const [named, other, elsewhere] = [tenantIn('staging'), tenantIn('staging'), tenantIn('production')]
  const paused = async () => {
    ctx.clock.advance(1_000)
    const { isPaused } = await brakes.now()
    return [named, other, elsewhere].map(isPaused)
  }
  expect(await paused()).toEqual([false, false, false])
  rows = [rowOf({ environment: 'staging', tenantId: named.id })]
  expect(await paused()).toEqual([true, false, false])
  rows = [rowOf({ environment: 'staging' })]
  expect(await paused()).toEqual([true, true, false])
  rows = [rowOf({ rail: 'a' }), rowOf({ rail: 'b', resumedAt: on(0) })]
  expect(await paused()).toEqual([false, false, false])
})

it('rails that are stopped are avoided, and those that were resumed since the last look are forgiven once', async () => {
  const look = async () => {
    ctx.clock.advance(1_000)
    await brakes.now()
    return heard.splice(0)
  }
  rows = [rowOf({ rail: 'a' }), rowOf({ rail: 'b', resumedAt: on(1) })]
  expect(await look()).toEqual(['avoid a'])
  expect([brakes.isStopped('a'), brakes.isStopped('b'), brakes.isStopped('d')]).toEqual([true, false, false])
  const resumedAgain = rowOf({ rail: 'c', resumedAt: on(3) })
  rows = [rowOf({ rail: 'a', resumedAt: on(2) }), ...rows.slice(1), rowOf({ rail: 'c' }), resumedAgain]
  expect(await look()).toEqual(['avoid c', 'forgive a', 'forgive c'])
  expect(await look()).toEqual(['avoid c'])
  ctx.clock.advance(1_000)
  expect(await brakes.isStopped('c')).toBe(true)
})

it('payments that a brake held back are woken a thousand at a time, lane after lane, and counted', async () => {
  const held = new Map([
    [1, 2_000],
    [2, 0],
    [3, 999],
  ])
  const pieces: [lane: number, woken: number][] = []
  const query = async (_what: unknown, [lane, , , , , max]: number[]) => {
    const left = held.get(lane ?? 0) ?? 0
    const woken = Math.min(left, max ?? 0)
    held.set(lane ?? 0, left - woken)
    pieces.push([lane ?? 0, woken])
    return Array.from({ length: woken })
  }
  const world = createTestContext({ query, transaction: async () => undefined } as unknown as Db)
  expect(await resumePayouts(world, [1, 2, 3], {})).toEqual({ woken: 2_999 })
  expect(pieces).toEqual([
    [1, 1_000],
    [1, 1_000],
    [1, 0],
    [2, 0],
    [3, 999],
  ])
})
