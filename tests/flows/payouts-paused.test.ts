// Payouts are paused and go on, while two processes serve one business: both know within a second.

import { expect, it } from 'vitest'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import { neverEnding, newReference, transferBody, untilPaused, untilStatus } from '#tests/payments/requests.ts'
import { createClient, expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, useService } from '#tests/support/service.ts'
import { untilHolds } from '#tests/support/patience.ts'

const path = '/v1/transfers/initiate'
const api = await useService({ settings: { SANDBOX_SETTLE_MS: '20' }, roles: ['api'] })
const { business, staging, testKey } = api
const whose = { businessId: business.id }

it('accepted payouts that were not sent wait on every process, and go on afterwards', async () => {
  // No process executes these payments before the second process is there.
  const waiting = transferBody()
  const reference = String(waiting['reference'])
  expectSuccess(await staging.post(path, waiting))
  await pausePayouts(api.ctx, whose)
  const second = await startService({ database: api.database, settings: { SANDBOX_SETTLE_MS: '20' } })
  const other = createClient(`${second.url}/staging`, testKey)
  const others = await second.addBusiness('Another')

  for (const client of [staging, other]) {
    await untilPaused(client, true)
    expectError(await client.post(path, transferBody()), 403, 'PAYOUTS_PAUSED')
    expectSuccess(await client.get('/v1/balance'))
  }
  // The worker has looked at it and postponed it.
  await untilHolds(async () => {
    const sql = 'select due_at - created_at > $2::interval as later from payment where reference = $1'
    expect(await asOwner(api.database, sql, [reference, '5 minutes'])).toEqual([{ later: true }])
  })
  const ofAnother = transferBody()
  expectSuccess(await others.staging.post(path, ofAnother))
  await untilStatus(others.staging, String(ofAnother['reference']), 'SUCCESS')
  expect(expectSuccess(await other.get(`/v1/transfers/${reference}`)).status).toBe('queued')

  expect(await resumePayouts(api.ctx, [business.tenants.staging.lane], whose)).toEqual({ woken: 1 })
  await untilStatus(other, reference, 'SUCCESS')
  for (const client of [staging, other]) {
    await untilPaused(client, false)
    expectSuccess(await client.post(path, transferBody({ reference: newReference(), accountNumber: neverEnding })))
  }
  other.close()
  await second.stop()
})
