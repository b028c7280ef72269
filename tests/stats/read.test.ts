// Sums of a period: hours, days of a zone, and durations of payments.

import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { countFigure, durationIndex, durations, quantileSeconds, type Happening } from '#stats/stats.ts'
import { readFigures } from '#stats/read.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createBusiness } from '#businesses/business.ts'

const database = await useTestDatabase()

const zone = 'Africa/Lagos'
const at = (time: string): Date => new Date(`2026-01-${time}Z`)

async function withFigures(happenings: Omit<Happening, 'tenantId' | 'currency'>[]) {
  const ctx = createTestContext(database.connect())
  const { tenants } = await createBusiness(ctx, 'Test')
  const tenant = tenants.staging
  await ctx.db.transaction(async (tx) => {
    for (const one of happenings) countFigure(tx, { ...one, tenantId: tenant.id, currency: 'NGN' })
  }, tenant.lane)
  return { ctx, tenant }
}

const transfer = (outcome: Happening['outcome'], time: string, more: Partial<Happening> = {}) => ({
  kind: 'bank_transfer' as const,
  outcome,
  at: at(time),
  amount: toMoney(100_000),
  ...more,
})

describe('a period', () => {
  it.each([
    ['hour', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T04:00:00Z', '2026-03-29T01:30:00Z'],
    ['hour', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', '2026-10-25T00:30:00Z'],
    ['hour', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', '2026-10-25T01:30:00Z'],
    ['day', 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z', '2026-04-24T01:30:00Z'],
  ] as const)('counts once what ended by the %s in which clocks change: %s, %s', async (by, place, from, to, time) => {
    const ended = transfer('succeeded', '15T09:20:00', { at: new Date(time) })
    const { ctx, tenant } = await withFigures([ended])
    const span = { from: new Date(from), to: new Date(to), currency: 'NGN' as const }
    const { totals, series } = await readFigures(ctx, tenant, { ...span, by, zone: place })
    expect(totals.out).toEqual({ count: 1, amount: 100_000n })
    expect(series.map(({ out }) => out).filter((out) => out > 0n)).toEqual([100_000n])
    expect(new Set(series.map(({ at: start }) => start.getTime())).size).toBe(series.length)
  })

  it.each([
    ['Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', ['00:00', '01:00', '02:00']],
    ['Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z', ['00:00', '01:00', '02:00']],
    ['America/New_York', '2026-11-01T05:00:00Z', '2026-11-01T08:00:00Z', ['05:00', '06:00', '07:00']],
    ['Asia/Kolkata', '2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z', ['23:30', '00:30']],
  ])('has every hour, also those in which nothing happened: %s, %s', async (place, from, to, hours) => {
    const { ctx, tenant } = await withFigures([])
    const span = { from: new Date(from), to: new Date(to), currency: 'NGN' as const }
    const { series } = await readFigures(ctx, tenant, { ...span, by: 'hour', zone: place })
    expect(series.map((point) => point.at.toISOString().slice(11, 16))).toEqual(hours)
  })

  it('adds up inflows, payouts, fees and outcomes', async () => {
    const { ctx, tenant } = await withFigures([
      transfer('accepted', '15T09:10:00'),
      transfer('succeeded', '15T09:20:00', { fee: toMoney(1_000), tookMs: 1_500 }),
      transfer('succeeded', '15T10:20:00', { fee: toMoney(1_000), tookMs: 700 }),
      transfer('failed', '15T10:20:00', { reason: 'DORMANT_ACCOUNT', tookMs: 700 }),
      transfer('returned', '15T11:59:59.999', { fee: toMoney(1_000) }),
      transfer('success_undone', '15T09:20:00'),
      { kind: 'deposit', outcome: 'succeeded', at: at('15T10:00:00'), amount: toMoney(5_000), fee: toMoney(50) },
      transfer('succeeded', '15T12:00:00'),
      { kind: 'momo_transfer', outcome: 'succeeded', at: at('15T10:00:00'), amount: toMoney(4_000) },
      { kind: 'momo_collection', outcome: 'failed', reason: 'EXPIRED', at: at('15T11:00:00'), amount: toMoney(9_000) },
      { kind: 'momo_collection', outcome: 'failed', reason: 'EXPIRED', at: at('15T11:00:00'), amount: toMoney(8_000) },
      {
        kind: 'momo_collection',
        outcome: 'failure_undone',
        reason: 'EXPIRED',
        at: at('15T11:00:00'),
        amount: toMoney(8_000),
      },
    ])
    const figures = await readFigures(ctx, tenant, {
      from: at('15T09:00:00'),
      to: at('15T12:00:00'),
      by: 'hour',
      zone,
      currency: 'NGN',
    })
    expect(figures.totals).toEqual({
      in: { count: 1, amount: 5_000n },
      out: { count: 2, amount: 104_000n },
      outByBank: { count: 1, amount: 100_000n },
      returned: { count: 1, amount: 100_000n },
      returnedByBank: { count: 1, amount: 100_000n },
      fees: 1_050n,
      failed: 1,
      failedByBank: 1,
      successRate: 2 / 4,
      collections: { succeeded: 0, failed: 1 },
      medianSeconds: 1,
      p95Seconds: 2,
    })
    expect(new Set(figures.failureReasons)).toEqual(
      new Set([
        { kind: 'bank_transfer', reason: 'DORMANT_ACCOUNT', count: 1 },
        { kind: 'momo_collection', reason: 'EXPIRED', count: 1 },
      ]),
    )
    expect(figures.series).toEqual([
      { at: at('15T09:00:00'), in: 0n, out: 0n, returned: 0n, succeeded: 0, failed: 0 },
      { at: at('15T10:00:00'), in: 5_000n, out: 104_000n, returned: 0n, succeeded: 2, failed: 1 },
      { at: at('15T11:00:00'), in: 0n, out: 0n, returned: 100_000n, succeeded: 0, failed: 1 },
    ])
  })

  it('of a business without payments has zeros and no success rate', async () => {
    const { ctx, tenant } = await withFigures([])
    const figures = await readFigures(ctx, tenant, {
      from: at('15T09:00:00'),
      to: at('15T10:00:00'),
      by: 'hour',
      zone,
      currency: 'NGN',
    })
    expect(figures.totals).toMatchObject({ failed: 0, successRate: null, medianSeconds: null })
    expect(figures.series).toEqual([{ at: at('15T09:00:00'), in: 0n, out: 0n, returned: 0n, succeeded: 0, failed: 0 }])
  })

  it('has the days of the zone: what happened at 23:30 in London happened on the next day in Lagos', async () => {
    const { ctx, tenant } = await withFigures([
      transfer('succeeded', '14T22:30:00'),
      transfer('succeeded', '14T23:30:00'),
      transfer('succeeded', '15T22:59:59'),
    ])
    const question = {
      from: at('13T23:00:00'),
      to: at('15T23:00:00'),
      by: 'day' as const,
      zone,
      currency: 'NGN' as const,
    }
    const { series } = await readFigures(ctx, tenant, question)
    expect(series.map((point) => [point.at.toISOString(), point.succeeded])).toEqual([
      ['2026-01-13T23:00:00.000Z', 1],
      ['2026-01-14T23:00:00.000Z', 2],
    ])
  })
})

describe('how long payments took', () => {
  const countsOf = (...took: number[]): bigint[] =>
    durations.map((_, index) => BigInt(took.filter((ms) => durationIndex(ms) === index).length))

  it('is as precise as the columns', () => {
    expect(quantileSeconds(countsOf(), 0.5)).toBeNull()
    expect(quantileSeconds(countsOf(500), 0.5)).toBe(1)
    expect(quantileSeconds(countsOf(500, 500, 500, 500), 0.5)).toBe(0.5)
    expect(quantileSeconds(countsOf(100, 3_000, 3_000), 0.95)).toBe(5)
    expect(quantileSeconds(countsOf(200_000_000), 0.5)).toBe(86_400)
  })

  it('is counted in the column of its duration, also at the limits', () => {
    expect([0, 999, 1_000, 1_999, 86_399_999, 86_400_000].map(durationIndex)).toEqual([0, 0, 1, 1, 11, 12])
  })
})
