// Whose payouts are paused, as a process remembers it: how seldom it asks, and that nobody waits for what is in steady use.
// The database is played, and its answers are counted.

import { beforeEach, expect, it } from 'vitest'
import type { Db } from '#base/db.ts'
import { newUuid } from '#base/ids.ts'
import { watchPauses, type PauseWatch } from '#payments/pause-watch.ts'
import type { PausedRow } from '#payments/sql-pauses.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'

let ctx: TestContext
let pauses: PauseWatch
let answers: number
let rows: PausedRow[]

beforeEach(() => {
  answers = 0
  rows = []
  const query = async () => ((answers += 1), rows)
  ctx = createTestContext({ readers: { query } } as unknown as Db)
  pauses = watchPauses(ctx)
})

const tenantIn = (environment: PausedRow['environment']) => ({ id: newUuid(ctx.clock.now()), lane: 1, environment })

/** Time passes, and somebody looks; whether that needs the database, and how often that has answered by then. */
async function look(afterMs: number): Promise<[waits: boolean, answers: number]> {
  ctx.clock.advance(afterMs)
  const now = pauses.now()
  await now
  return [now instanceof Promise, answers]
}

it('what was heard is believed for less than a second, and asked for again before that is over', async () => {
  expect(await look(0)).toEqual([true, 1])
  expect(await look(399)).toEqual([false, 1])
  // Two questions, each in the background of a look, which uses what was heard before.
  expect(await look(1)).toEqual([false, 2])
  expect(await look(400)).toEqual([false, 3])
  expect(await look(900)).toEqual([true, 4])
})

it('whom a pause names is paused, and nobody else', async () => {
  const [named, other, elsewhere] = [tenantIn('staging'), tenantIn('staging'), tenantIn('production')]
  const paused = async () => {
    ctx.clock.advance(1_000)
    const isPaused = await pauses.now()
    return [named, other, elsewhere].map(isPaused)
  }
  expect(await paused()).toEqual([false, false, false])
  rows = [{ environment: 'staging', tenantId: named.id }]
  expect(await paused()).toEqual([true, false, false])
  rows = [{ environment: 'staging', tenantId: null }]
  expect(await paused()).toEqual([true, true, false])
})
