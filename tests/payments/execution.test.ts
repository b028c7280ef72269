// From acceptance to the end, with a rail that can be silent, wrong or late. Time passes only when a test says so.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { succeeded, timesOf, unknown } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, eventsOf, rowOf, turn, until, type Process } from './process.ts'

const { accept, clock, database, pass, rail, start, untilStatus } = await useExecuting()
let one: Process
let tenant: Tenant

beforeEach(async () => {
  one = start()
  tenant = await createTenant(one)
})

async function submit(process: Process): Promise<string> {
  const before = rail.asked.length
  const reference = await accept(process, tenant)
  await until(() => rail.asked.length > before, 'it is submitted')
  await turn()
  return reference
}

const untilDue = (reference: string, seconds: number): Promise<void> =>
  until(
    async () => (await rowOf(database, reference)).due_at?.getTime() === clock.now() + seconds * 1_000,
    `it is due in ${seconds} s`,
  )

const balance = async (process: Process): Promise<{ reserved: bigint }> => {
  const [row] = await process.ctx.db.query<{ reserved: bigint }>(
    {
      name: 'test.reserved',
      text: "select credits - debits as reserved from ledger_account where tenant_id = $1 and name = 'reserved'",
    },
    [tenant.id],
  )
  return { reserved: row?.reserved ?? -1n }
}

describe('a payment with an unknown outcome', () => {
  it('stays queued and is asked about after 5 s, 30 s, 2 min, 10 min, 30 min, then every hour; it is sent once', async () => {
    const reference = await submit(one)
    pass(5) // The process that accepted it still has it.
    await untilDue(reference, 30)
    const waits = [30, 120, 600, 1_800, 3_600, 3_600, 3_600]
    for (const [index, seconds] of waits.entries()) {
      pass(seconds - 1)
      expect(await one.payments.work(tenant.lane)).toBe(0)
      pass(1)
      expect(await one.payments.work(tenant.lane)).toBe(1)
      await untilDue(reference, waits[index + 1] ?? 3_600)
    }
    const seconds = [5, 35, 155, 755, 2_555, 6_155, 9_755, 13_355]
    expect(timesOf(rail)).toEqual(['submit 0', ...seconds.map((at) => `status ${at}`)])
    expect(await rowOf(database, reference)).toMatchObject({ status: 'queued', asks: 9 })
    expect((await balance(one)).reserved).toBe(101_000n)
    expect(await eventsOf(database, reference)).toEqual([])
  })

  it('ends when its rail knows, with one event', async () => {
    const reference = await submit(one)
    rail.onStatus = () => succeeded
    pass(5)
    await untilStatus(reference, 'SUCCESS')
    expect(await rowOf(database, reference)).toMatchObject({ session_id: succeeded.sessionId, due_at: null, asks: 0 })
    expect(await eventsOf(database, reference)).toEqual(['transfer.success'])
    expect(await one.payments.work(tenant.lane)).toBe(0)
  })

  it('is not sent again before it has stayed absent for the grace period', async () => {
    const reference = await submit(one)
    rail.onStatus = () => ({ kind: 'not-found' })
    pass(5)
    await untilDue(reference, 30)
    pass(15 * 60 - 1)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    await untilDue(reference, 120)
    expect((await rowOf(database, reference)).submitted_at).not.toBeNull()
    pass(120)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    await until(async () => (await rowOf(database, reference)).submitted_at === null, 'it counts as unsent')
    rail.onSubmit = () => succeeded
    expect(await one.payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', 'status 5', 'status 904', 'status 1024', 'submit 1024'])
    const [first, , , , again] = rail.asked.map(({ order }) => order)
    expect(again?.railReference).toBe(first?.railReference)
    expect(again?.submittedAtMs).toBe(clock.now())
  })

  it('is sent again when it is certain that nothing of it left, and only then', async () => {
    rail.onSubmit = () => ({ ...unknown, sent: false })
    const reference = await submit(one)
    await untilDue(reference, 5)
    rail.onSubmit = () => unknown
    pass(5)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    pass(30)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    expect(timesOf(rail)).toEqual(['submit 0', 'submit 5', 'status 35'])
  })

  it('goes when its rail has room again, however often that had none, and the pauses do not grow', async () => {
    rail.onSubmit = () => ({ ...unknown, sent: false, askAgainAfterMs: 2_000 })
    const reference = await submit(one)
    for (let count = 1; count <= 8; count++) {
      await untilDue(reference, 2)
      pass(2)
      expect(await one.payments.work(tenant.lane)).toBe(1)
    }
    expect(timesOf(rail)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16].map((second) => `submit ${second}`))
  })

  it('is not sent again when a later question could not be asked: that says nothing about the submission', async () => {
    const reference = await submit(one)
    rail.onStatus = () => ({ ...unknown, sent: false })
    pass(5)
    await untilDue(reference, 30)
    pass(30)
    await one.payments.work(tenant.lane)
    expect(timesOf(rail)).toEqual(['submit 0', 'status 5', 'status 35'])
  })

  it('stays queued when its rail throws', async () => {
    rail.onSubmit = () => Promise.reject(new Error('a bug of the rail'))
    const reference = await submit(one)
    rail.onStatus = () => {
      throw new Error('another one')
    }
    pass(5)
    await untilDue(reference, 30)
    expect(timesOf(rail)).toEqual(['submit 0', 'status 5'])
  })

  it('is asked about when its rail advises, not by the schedule', async () => {
    rail.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: 2_000 })
    rail.onStatus = () => ({ kind: 'pending', askAgainAfterMs: 90_000 })
    const reference = await submit(one)
    pass(2)
    await untilDue(reference, 90)
    expect(timesOf(rail)).toEqual(['submit 0', 'status 2'])
    expect((await rowOf(database, reference)).asks).toBe(0)
  })

  it('is left to the loop when the next question would come within 5 s of the end of the lease', async () => {
    const leaseSeconds = 11 // The fake rail's second and the slack of ten.
    rail.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: 6_000 })
    const kept = await submit(one)
    rail.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: 6_001 })
    const left = await submit(one)
    await untilDue(left, 6.001)
    await untilDue(kept, leaseSeconds)
    pass(6)
    await until(() => rail.asked.length === 3, 'the leased one is asked about')
    expect(timesOf(rail)).toEqual(['submit 0', 'submit 0', 'status 6'])
  })
})

describe('a payment that is returned', () => {
  it('is looked at again when its rail said so, and then moves back', async () => {
    rail.onSubmit = () => ({ ...succeeded, askAgainAfterMs: 60_000 })
    const reference = await submit(one)
    await untilStatus(reference, 'SUCCESS')
    rail.onStatus = () => ({ kind: 'reversed', sessionId: succeeded.sessionId })
    pass(59)
    expect(await one.payments.work(tenant.lane)).toBe(0)
    pass(1)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    expect(await rowOf(database, reference)).toMatchObject({
      status: 'REVERSED',
      due_at: null,
      session_id: succeeded.sessionId,
    })
    expect(await eventsOf(database, reference)).toEqual(['transfer.success', 'transfer.reversed'])
  })

  it('has failed if no answer ever showed a success, and its business gets that event alone', async () => {
    rail.onSubmit = () => ({ kind: 'reversed', sessionId: '8'.repeat(30) })
    const reference = await submit(one)
    await untilStatus(reference, 'FAILED')
    expect(await rowOf(database, reference)).toMatchObject({ failure_reason: 'BANK_UNAVAILABLE', session_id: null })
    expect(await eventsOf(database, reference)).toEqual(['transfer.failed'])
  })

  it('rests when nothing more can happen', async () => {
    rail.onSubmit = () => ({ ...succeeded, askAgainAfterMs: 60_000 })
    const reference = await submit(one)
    await untilStatus(reference, 'SUCCESS')
    rail.onStatus = () => succeeded
    pass(60)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    expect(await rowOf(database, reference)).toMatchObject({ status: 'SUCCESS', due_at: null })
  })
})

describe('a rail that contradicts what a payment ended as', () => {
  it.each([
    ['it has failed', 0, { kind: 'failed', reason: 'DO_NOT_HONOR' } as const],
    ['it never existed, for the whole grace period', 15, { kind: 'not-found' } as const],
  ])('is reported, and the payment rests as it is: %s', async (_what, graceMinutes, answer) => {
    rail.onSubmit = () => ({ ...succeeded, askAgainAfterMs: 60_000 })
    const reference = await submit(one)
    await untilStatus(reference, 'SUCCESS')
    rail.onStatus = () => answer
    pass(60)
    expect(await one.payments.work(tenant.lane)).toBe(1)
    if (graceMinutes > 0) {
      pass(5)
      await untilDue(reference, 30)
      pass(graceMinutes * 60)
      await one.payments.work(tenant.lane)
    }
    await until(async () => (await rowOf(database, reference)).due_at === null, 'it rests')
    expect(await rowOf(database, reference)).toMatchObject({ status: 'SUCCESS', due_at: null })
    expect((await one.ctx.metrics.paymentsContradicted.get()).values[0]?.value).toBe(1)
    expect(one.lines.filter((line) => line.includes('payment-contradicted'))).toHaveLength(1)
    expect(await eventsOf(database, reference)).toEqual(['transfer.success'])
  })

  it('is reported when it contradicts an end that came by other means', async () => {
    const reference = await submit(one)
    await one.payments.complete(tenant, reference, { kind: 'failed', reason: 'PROVIDER_ERROR' })
    rail.onStatus = () => succeeded
    pass(5)
    await until(() => one.lines.some((line) => line.includes('payment-contradicted')), 'it is raised')
    expect((await one.ctx.metrics.paymentsContradicted.get()).values[0]?.value).toBe(1)
    expect(await rowOf(database, reference)).toMatchObject({ status: 'FAILED', due_at: null })
    expect((await balance(one)).reserved).toBe(0n)
  })
})
