// A payment is late if it has not ended ten minutes after it was made.

import { expect, it } from 'vitest'
import { readLate } from '#payments/list.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createTenant, requestOf, startProcess } from './process.ts'

const database = await useTestDatabase()

it('a payment is late when it has not ended after ten minutes, and no sooner', async () => {
  const clock = createFakeClock()
  const process = startProcess({ database, clock, leasesNew: false })
  const { ctx, payments } = process
  const tenant = await createTenant(process, 'staging')
  const requests = [requestOf(), requestOf()]
  await payments.initiateMany(tenant, requests)
  clock.advance(600_000)
  expect(await readLate(ctx, tenant)).toEqual([])
  clock.advance(1)
  const waiting = { kind: 'bank_transfer', status: 'queued', before: new Date(clock.now() - 600_000) }
  expect(await readLate(ctx, tenant)).toEqual([{ ...waiting, count: 2 }])
  await payments.complete(tenant, requests[0]?.reference ?? '', { kind: 'failed', reason: 'PROVIDER_ERROR' })
  expect(await readLate(ctx, tenant)).toEqual([{ ...waiting, count: 1 }])
})
