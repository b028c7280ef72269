// Which rails are stopped, as a process remembers it: how seldom it asks, and that nobody waits for what is in steady use.
// The database is played, and its answers are counted.

import { beforeEach, expect, it } from 'vitest'
import type { Db } from '#base/db.ts'
import type { StateRow } from '#payments/sql-stops.ts'
import { watchStops, type StopWatch } from '#payments/stop-watch.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'

let ctx: TestContext
let stops: StopWatch
let answers: number
let rows: StateRow[]
/** What routes are told. */
let heard: string[]

beforeEach(() => {
  answers = 0
  rows = []
  heard = []
  const query = async () => ((answers += 1), rows)
  ctx = createTestContext({ readers: { query } } as unknown as Db)
  stops = watchStops(ctx, {
    avoid: (rails) => void heard.push(`avoid ${[...rails].toSorted().join()}`),
    forgiveRefusals: (rail) => void heard.push(`forgive ${rail}`),
  })
})

const rowOf = (rail: string, isStopped: boolean, resumedAt: Date | null = null): StateRow => {
  return { environment: 'production', rail, isStopped, resumedAt }
}
const on = (ms: number): Date => new Date(ctx.clock.now() + ms)

/** Time passes, and somebody looks; whether that needs the database, and how often that has answered by then. */
async function ask(afterMs: number, question: () => unknown): Promise<[waits: boolean, answers: number]> {
  ctx.clock.advance(afterMs)
  const answer = question()
  await answer
  return [answer instanceof Promise, answers]
}

it.each([
  ['a look', () => stops.look()],
  ['the question whether one is', () => stops.isStopped('a')],
])(
  '%s believes for less than a second what was heard, and asks again before that is over',
  async (_which, question) => {
    expect(await ask(0, question)).toEqual([true, 1])
    expect(await ask(399, question)).toEqual([false, 1])
    // Two questions, each in the background of one that uses what was heard before.
    expect(await ask(1, question)).toEqual([false, 2])
    expect(await ask(400, question)).toEqual([false, 3])
    expect(await ask(900, question)).toEqual([true, 4])
  },
)

it('rails that are stopped are avoided, and those that were resumed since the last look are forgiven once', async () => {
  const look = async () => {
    ctx.clock.advance(1_000)
    await stops.look()
    return heard.splice(0)
  }
  rows = [rowOf('a', true), rowOf('b', false, on(1)), rowOf('c', false)]
  expect(await look()).toEqual(['avoid a'])
  expect([stops.isStopped('a'), stops.isStopped('b'), stops.isStopped('d')]).toEqual([true, false, false])
  rows = [rowOf('a', false, on(2)), rowOf('b', false, rows[1]?.resumedAt), rowOf('c', true, on(3))]
  expect(await look()).toEqual(['avoid c', 'forgive a', 'forgive c'])
  expect(await look()).toEqual(['avoid c'])
  ctx.clock.advance(1_000)
  expect(await stops.isStopped('c')).toBe(true)
})
