// Unfinished payments that need an operator: found in every state, raised once, and closed with the payment.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { pausePayouts, stopRail } from '#payments/brakes.ts'
import type { MomoCollection, PayoutState } from '#rails/rail.ts'
import { skipOnCitus } from '#tests/support/citus.ts'
import { asOwner } from '#tests/support/owner.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, rowOf, type Process } from './process.ts'
import { newReference } from './requests.ts'

const { accept, clock, database, pass, rail, start, untilStatus } = await useExecuting()
const [minute, day] = [60, 86_400]
let one: Process
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate brake')
  await asOwner(database, 'truncate review_item cascade')
  one = start({ leasesNew: false })
  tenant = await createTenant(one)
})

async function look(by: Process = one): Promise<void> {
  while ((await by.payments.raiseAlarms(tenant.lane)) > 0);
}

const items = () =>
  asOwner<{ kind: string; fact: string; closed_at: Date | null }>(
    database,
    'select kind, fact, closed_at from review_item where tenant_id = $1 order by kind, fact',
    [tenant.id],
  )
const kinds = async (): Promise<string[]> => (await items()).map(({ kind }) => kind)
const counted = async (by: Process, name: 'paymentsStuck' | 'paymentsWithoutRail') =>
  (await by.ctx.metrics[name].get()).values[0]?.value

describe('a payment without an outcome for a day', () => {
  it('waits for a person after that day, is raised once, and is counted at each look', async () => {
    await accept(one, tenant)
    pass(day)
    await look()
    expect([await kinds(), await counted(one, 'paymentsStuck')]).toEqual([[], 0])
    pass(1)
    for (let looks = 0; looks < 2; looks++) await look()
    expect(await items()).toEqual([{ kind: 'payment-stuck', fact: 'it has had no outcome for a day', closed_at: null }])
    expect(await counted(one, 'paymentsStuck')).toBe(2)
    expect(one.lines.filter((line) => line.includes('payment-stuck'))).toHaveLength(1)
  })

  it.each([
    ['paused', () => pausePayouts(one.ctx, {})],
    [
      'held by the stop of its rail',
      () =>
        one.ctx.db.transaction((tx) =>
          stopRail(one.ctx, tx, { environment: 'production', rail: 'fake', why: 'a test' }),
        ),
    ],
  ])('is found when it is %s', async (_how, hold) => {
    await accept(one, tenant)
    await hold()
    pass(25 * 3_600)
    await one.payments.work(tenant.lane)
    await look()
    expect(await kinds()).toEqual(['payment-stuck'])
    expect(rail.asked).toEqual([])
  })

  it('is found when each step of it fails', async () => {
    rail.onSubmit = () => ({ kind: 'failed', reason: 'OTP_EXPIRED' }) as unknown as PayoutState
    rail.onStatus = rail.onSubmit
    const reference = await accept(one, tenant)
    await one.payments.work(tenant.lane)
    pass(25 * 3_600)
    await one.payments.work(tenant.lane)
    expect((await rowOf(database, reference)).status).toBe('queued')
    await look()
    expect(await kinds()).toEqual(['payment-stuck'])
  })

  it('is closed when it ends, and a payment that has ended is not found', async () => {
    const reference = await accept(one, tenant)
    pass(day + 1)
    await look()
    rail.onSubmit = () => succeeded
    await one.payments.work(tenant.lane)
    await untilStatus(reference, 'SUCCESS')
    await look()
    expect(await items()).toMatchObject([{ kind: 'payment-stuck', closed_at: expect.any(Date) }])
    expect(await counted(one, 'paymentsStuck')).toBe(1)
  })

  it('is raised once by two processes at once', async () => {
    for (let made = 0; made < 3; made++) await accept(one, tenant)
    const other = start({ leasesNew: false })
    pass(day + 1)
    await Promise.all([look(one), look(other)])
    expect(await kinds()).toEqual(['payment-stuck', 'payment-stuck', 'payment-stuck'])
  })

  it('is found behind more than a turn looks at', async () => {
    await accept(one, tenant)
    await asOwner(
      database,
      `insert into payment select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
         'reference', 'more-' || n, 'ordinal', p.ordinal + n, 'rail_reference', null))).*
         from payment p, generate_series(1, 1100) as n`,
    )
    pass(day + 1)
    expect(await one.payments.raiseAlarms(tenant.lane)).toBe(500)
    await look()
    expect(await kinds()).toHaveLength(1_101)
    await look()
    expect(await counted(one, 'paymentsStuck')).toBe(2_202)
  })
})

describe('a payment without a rail', () => {
  it('waits for a person after five minutes, also a collection', async () => {
    const port = { ...rail, approval: () => ({ kind: 'handset' }) } as unknown as MomoCollection
    const both = start({ leasesNew: false, ports: { momoCollection: port } })
    await accept(both, tenant)
    const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', currency: 'NGN' as const, narration: null }
    const rest = { reference: newReference(), amount: toMoney(100_000), metadata: null, customerName: null }
    expect((await both.payments.collect(tenant, { ...wallet, ...rest })).kind).toBe('accepted')
    const without = start({ leasesNew: false, rail: undefined })
    pass(5 * minute)
    await look(without)
    expect(await kinds()).toEqual([])
    pass(1)
    for (const by of [both, without, without]) await look(by)
    const fact = 'its rail fake, or its bank or operator, is not configured; it waits until it is'
    expect(await items()).toEqual([0, 1].map(() => ({ kind: 'payment-without-rail', fact, closed_at: null })))
    expect([await counted(both, 'paymentsWithoutRail'), await counted(without, 'paymentsWithoutRail')]).toEqual([0, 4])
    pass(day)
    await look(both)
    expect((await kinds()).filter((kind) => kind === 'payment-stuck')).toHaveLength(2)
  })
})

it('an item is closed when its payment ends, also after the clock was set back before its acceptance', async () => {
  const reference = await accept(one, tenant)
  pass(5 * minute + 1)
  await look(start({ leasesNew: false, rail: undefined }))
  expect(await kinds()).toEqual(['payment-without-rail'])
  const setBack = { now: () => clock.now() - 3_600_000, monotonicMs: clock.monotonicMs }
  const behind = start({ leasesNew: false, clock: setBack })
  await behind.payments.complete(tenant, reference, { kind: 'failed', reason: 'PROVIDER_ERROR' })
  expect(await items()).toMatchObject([{ kind: 'payment-without-rail', closed_at: expect.any(Date) }])
})

describe('the question', () => {
  it('reads unfinished payments only, however many have ended', async (context) => {
    skipOnCitus(context, 'the plan is one of a worker')
    const reference = await accept(one, tenant)
    rail.onSubmit = () => succeeded
    await one.payments.work(tenant.lane)
    await untilStatus(reference, 'SUCCESS')
    await asOwner(
      database,
      `insert into payment select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
         'reference', 'done-' || n, 'ordinal', p.ordinal + n, 'rail_reference', null))).*
         from payment p, generate_series(1, 20000) as n`,
    )
    await accept(one, tenant)
    const plan = async () => {
      const rows = await asOwner<{ 'QUERY PLAN': string }>(
        database,
        `explain (analyze, buffers, costs off, timing off) select * from payment
          where lane = 1 and status in ('queued', 'PENDING', 'OTP_REQUIRED') and asks >= 0
            and created_at < 'infinity' and (created_at, id) > ('epoch', '00000000-0000-0000-0000-000000000000')
          order by created_at, id limit 500`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    for (const analysed of [false, true]) {
      if (analysed) await asOwner(database, 'analyze payment')
      const text = await plan()
      expect(text).toContain('payment_unfinished')
      expect(Number(/Buffers: shared hit=(\d+)/.exec(text)?.[1])).toBeLessThan(50)
    }
  })
})
