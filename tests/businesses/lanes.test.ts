// The number of lanes: how a start applies LANES, and which values it refuses.

import { beforeEach, describe, expect, it } from 'vitest'
import { createBusiness, draftBusiness, writeBusiness } from '#businesses/business.ts'
import { judgeLanes, laneNumbers, applyLanes } from '#businesses/lanes.ts'
import { parseConfig } from '#config.ts'
import { createTestContext } from '#tests/support/context.ts'
import { openForTest, useTestDatabase } from '#tests/support/database.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())

const exactly = (count: number) => ({ count, isLeast: false })
const atLeast = (count: number) => ({ count, isLeast: true })

async function lanesAre(count: number): Promise<void> {
  await asOwner(database, 'update installation set lanes = $1', [count])
}

async function liveInLane(lane: number): Promise<void> {
  await lanesAre(lane)
  const { tenants } = await createBusiness(ctx, 'Somebody')
  if (tenants.staging.lane !== lane) await liveInLane(lane)
}

const count = async (): Promise<number> => (await laneNumbers(ctx)).length

describe('LANES', () => {
  const url = 'postgres://a@b/c'
  it.each([
    [{}, atLeast(1)],
    [{ DATABASE_URL: url }, atLeast(16)],
    [{ LANES: '4' }, exactly(4)],
    [{ LANES: '1', DATABASE_URL: url }, exactly(1)],
  ])('%j means %j', (settings, lanes) => {
    expect(parseConfig(settings).lanes).toEqual(lanes)
  })

  it.each(['0', '4097', 'many'])('cannot be %s', (LANES) => {
    expect(() => parseConfig({ LANES })).toThrow(/^Wrong setting: LANES is/)
  })
})

describe('a start', () => {
  beforeEach(() => lanesAre(2))

  it.each([
    [atLeast(1), 2],
    [atLeast(16), 16],
    [exactly(4), 4],
    [exactly(1), 1],
  ])('with LANES=%j makes %d of 2 lanes without a business', async (wanted, lanes) => {
    await applyLanes(ctx, wanted)
    expect(await count()).toBe(lanes)
    await applyLanes(ctx, wanted)
    expect(await count()).toBe(lanes)
  })

  it('is refused with fewer lanes than businesses use, which the doctor predicts', async () => {
    await liveInLane(3)
    await lanesAre(8)
    const sentence = 'LANES is 2, and businesses live in lanes up to 3, which they never leave: set LANES to 3 or more'
    await expect(applyLanes(ctx, exactly(2))).rejects.toThrow(`${sentence}.`)
    expect(await count()).toBe(8)
    expect(await judgeLanes(ctx.db, exactly(2))).toEqual({ state: 'failed', message: sentence })
    const told = '8, businesses up to lane 3; the next start makes them 3'
    expect(await judgeLanes(ctx.db, exactly(3))).toEqual({ state: 'ok', message: told })
    await applyLanes(ctx, exactly(3))
    expect(await judgeLanes(ctx.db, atLeast(1))).toEqual({ state: 'ok', message: '3, businesses up to lane 3' })
  })
})

describe('a business that is being made', () => {
  it('keeps its lane from being removed until its transaction ends', async () => {
    await lanesAre(64)
    const business = draftBusiness(64, 'Last', ctx.clock.now())
    const lane = 64
    const late = {
      ...business,
      tenants: { staging: { ...business.tenants.staging, lane }, production: { ...business.tenants.production, lane } },
    }
    const other = openForTest(database)
    let lowered: Promise<unknown> | undefined
    await ctx.db.transaction(async (tx) => {
      await writeBusiness(tx, late, ctx.by)
      lowered = applyLanes({ ...ctx, db: other }, exactly(8)).catch((error: unknown) => error)
      await untilWaiting(database, 1)
    }, lane)
    expect(String(await lowered)).toMatch(/live in lanes up to 64/)
    expect(await count()).toBe(64)
  })

  it('is not created in a lane that was removed meanwhile', async () => {
    const late = { ...draftBusiness(1, 'Late', ctx.clock.now()) }
    late.tenants = { ...late.tenants, staging: { ...late.tenants.staging, lane: 65 } }
    const made = ctx.db.transaction((tx) => writeBusiness(tx, late, ctx.by), 65)
    await expect(made).rejects.toMatchObject({ name: 'Unavailable' })
  })
})
