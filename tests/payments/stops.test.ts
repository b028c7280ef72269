// Rails are stopped and resumed: the audit log has each change once, and every process that looks notices it.

import { afterAll, beforeEach, expect, it } from 'vitest'
import { listStops, resumeRail, stopRail, watchBrakes } from '#payments/brakes.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
afterAll(() => ctx.db.close())
beforeEach(() => asOwner(database, 'truncate brake, rail_resumption'))

const onProduction = (rail: string) => ({ environment: 'production' as const, rail })
const stop = (rail: string, why = 'a test') =>
  ctx.db.transaction((tx) => stopRail(ctx, tx, { ...onProduction(rail), why }))
const resume = async (rail: string) => (await resumeRail(ctx, [1], onProduction(rail))).wasStopped
const acts = () =>
  asOwner<{ act: string }>(database, `select act from audit_entry where act like 'rail.%' order by number`)

it('the first reason stays, and a rail that was stopped already gets no second entry in the audit log', async () => {
  const before = (await acts()).length
  const stoppedAt = new Date(ctx.clock.now())
  await stop('b', 'first')
  ctx.clock.advance(1_000)
  await stop('b', 'second')
  await stop('a')
  expect(await listStops(ctx)).toMatchObject([{ rail: 'a' }, { rail: 'b', why: 'first', stoppedAt }])
  expect([await resume('b'), await resume('b')]).toEqual([true, false])
  expect((await acts()).slice(before).map(({ act }) => act)).toEqual([
    'rail.stopped',
    'rail.stopped',
    'rail.resumed',
    'rail.resumed',
  ])
  expect(await listStops(ctx)).toMatchObject([{ rail: 'a' }])
})

it('each resumption is later than the one before it, whatever the clock says, and else as late as that', async () => {
  const times = async () =>
    (await asOwner<{ resumed_at: Date }>(database, 'select resumed_at from rail_resumption'))[0]?.resumed_at.getTime()
  const firstMs = ctx.clock.now()
  await resume('a')
  expect(await times()).toBe(firstMs)
  ctx.clock.advance(60_000)
  await resume('a')
  expect(await times()).toBe(firstMs + 60_000)
  ctx.clock.advance(-30_000)
  await resume('a')
  expect(await times()).toBe(firstMs + 60_001)
})

it('a process notices stops and resumptions when it looks after less than a second, each once', async () => {
  const heard: string[] = []
  const stops = watchBrakes(ctx, {
    avoid: (rails) => void heard.push(`avoid ${[...rails].toSorted().join()}`),
    forgiveRefusals: (rail) => void heard.push(`forgive ${rail}`),
  })
  const look = async () => {
    ctx.clock.advance(1_000)
    await stops.now()
    return heard.splice(0)
  }
  await resume('a')
  await stop('b')
  expect(await look()).toEqual(['avoid b'])
  expect([stops.isStopped('a'), stops.isStopped('b')]).toEqual([false, true])
  await resume('a')
  await resume('b')
  await stop('c')
  expect(stops.isStopped('b')).toBe(true)
  expect(await look()).toEqual(['avoid c', 'forgive a', 'forgive b'])
  expect([stops.isStopped('b'), stops.isStopped('c')]).toEqual([false, true])
  expect(await look()).toEqual(['avoid c'])
  ctx.clock.advance(1_000)
  await resume('c')
  expect(await stops.isStopped('c')).toBe(false)
})
