// Processes that only serve and processes that only work, on one database.

import { describe, expect, it } from 'vitest'
import { createApp } from '#app.ts'
import { parseConfig } from '#config.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { quietLog } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { testSecretKey, useService, type TestBusiness } from '#tests/support/service.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'

const settings = { SANDBOX_SETTLE_MS: '50' }
const service = await useService({ roles: ['api'], settings })

type Due = { reference: string; status: string; due: boolean; submitted_at: Date | null }

/**
 * Rows that are due by the clock of the process that wrote them, which differs from the database's by some
 * milliseconds.
 */
const rows = (): Promise<Due[]> =>
  asOwner(
    service.database,
    'select reference, status, due_at <= created_at as due, submitted_at from payment order by ordinal',
  )

const createWorker = () =>
  createApp({
    config: parseConfig({ PORT: '0', ...settings }),
    databaseUrl: service.database.serviceUrl,
    secretKey: testSecretKey,
    log: quietLog(),
    roles: ['worker'],
  })

describe('a process that only serves', () => {
  it('accepts and leaves every payment due at once, and a process that only works carries them to their end', async () => {
    const bodies = ['0123456789', '9990000005', '0123456780'].map((accountNumber) => transferBody({ accountNumber }))
    for (const body of bodies) expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    expect((await rows()).map(({ status, due, submitted_at }) => [status, due, submitted_at])).toEqual(
      bodies.map(() => ['queued', true, null]),
    )
    const worker = createWorker()
    expect(await worker.start()).toEqual({ port: 0, entrances: [] })
    const [first, second, third] = bodies.map(({ reference }) => String(reference))
    await untilStatus(service.staging, first ?? '', 'SUCCESS')
    await untilStatus(service.staging, second ?? '', 'FAILED')
    await untilStatus(service.staging, third ?? '', 'SUCCESS')
    // The worker also finds a payment that comes while it works, without a message between the two processes.
    const late = transferBody()
    expectSuccess(await service.staging.post('/v1/transfers/initiate', late))
    await untilStatus(service.staging, String(late['reference']), 'SUCCESS')
    await worker.stop()
    expect((await rows()).filter(({ due }) => due !== null)).toEqual([])
  })
})

describe('a process that works', () => {
  it('takes up a lane that the operator adds while it runs', async () => {
    const worker = createWorker()
    await worker.start()
    await asOwner(service.database, 'update installation set lanes = 2')
    const { staging } = await addBusinessIn(2)
    const body = transferBody()
    expectSuccess(await staging.post('/v1/transfers/initiate', body))
    await untilStatus(staging, String(body['reference']), 'SUCCESS')
    await worker.stop()
  })
})

/** The lane follows from chance, so this adds businesses until one is in the lane. */
async function addBusinessIn(lane: number): Promise<TestBusiness> {
  const added = await service.addBusiness('New')
  return added.business.tenants.staging.lane === lane ? added : addBusinessIn(lane)
}
