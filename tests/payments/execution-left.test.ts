// The loop claims each payment that no process has, once.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { succeeded, timesOf } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, rowOf, until } from './process.ts'

const { accept, database, pass, rail, start, untilStatus } = await useExecuting()
const never = (): Promise<never> => new Promise(() => undefined)
let tenant: Tenant

describe('a payment that no process has', () => {
  it.each([
    ['a process that only serves the API', { leasesNew: false }],
    ['a process with too many leased payments', { leasesMax: 0 }],
  ])('is due at once, and a worker sends it: %s', async (_which, options) => {
    const serving = start(options)
    tenant = await createTenant(serving)
    const references = [await accept(serving, tenant), await accept(serving, tenant)]
    expect(timesOf(rail)).toEqual([])
    rail.onSubmit = () => succeeded
    expect(await start().payments.work(tenant.lane)).toBe(2)
    for (const reference of references) await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', 'submit 0'])
  })

  it('is taken once, however many processes look for it', async () => {
    const serving = start({ leasesNew: false })
    tenant = await createTenant(serving)
    await Promise.all(Array.from({ length: 40 }, () => accept(serving, tenant)))
    const workers = [start(), start(), start()]
    const counts = await Promise.all([...workers, ...workers].map(({ payments }) => payments.work(tenant.lane)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(40)
    expect(rail.asked).toHaveLength(40)
    expect(new Set(rail.asked.map(({ order }) => order.railReference)).size).toBe(40)
  })

  it('does not wait for a bank that is slow to answer about another one', async () => {
    const serving = start({ leasesNew: false })
    tenant = await createTenant(serving)
    const worker = start()
    const stuck = await accept(serving, tenant)
    rail.onSubmit = never
    const working = worker.payments.work(tenant.lane)
    await until(() => rail.asked.length === 1, 'it is submitted')
    pass(1)
    expect(await working).toBe(1)
    rail.onSubmit = () => succeeded
    const reference = await accept(serving, tenant)
    expect(await worker.payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect((await rowOf(database, stuck)).status).toBe('queued')
  })
})

describe('a payment that has no rail any more', () => {
  it('stays queued, waits for a person after a while, and is sent once there is one', async () => {
    const serving = start({ leasesNew: false })
    tenant = await createTenant(serving)
    const reference = await accept(serving, tenant)
    const without = start({ rail: undefined })
    expect(await without.payments.work(tenant.lane)).toBe(1)
    await without.payments.raiseAlarms(tenant.lane)
    const raised = (): number => without.lines.filter((line) => line.includes('payment-without-rail')).length
    expect(raised()).toBe(0)
    pass(301)
    expect(await without.payments.work(tenant.lane)).toBe(1)
    await without.payments.raiseAlarms(tenant.lane)
    expect(raised()).toBe(1)
    rail.onSubmit = () => succeeded
    pass(30)
    expect(await start().payments.work(tenant.lane)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 331'])
  })
})
