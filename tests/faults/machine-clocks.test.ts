// Processes on machines whose clocks are wrong, and are set while they serve: the database dates what they write, and
// no process takes over a lease before its end.

import { expect, it } from 'vitest'
import type { Clock } from '#platform/clock.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { collectBody, phones, rightCode, untilMomo } from '#tests/payments/momo-requests.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'

const hourMs = 3_600_000

type WrongClock = Clock & { aheadMs: number }

const wrongBy = (aheadMs: number): WrongClock => ({
  aheadMs,
  now() {
    return performance.timeOrigin + performance.now() + this.aheadMs
  },
  monotonicMs: () => performance.now() + aheadMs,
})

it('two processes with clocks days apart, which are set while they serve, date and carry payments like one', async () => {
  const database = await createTestDatabase()
  const common = { database, secretKey: Buffer.alloc(32, 5), settings: { SANDBOX_SETTLE_MS: '50' } }
  const clocks = [wrongBy(24 * hourMs), wrongBy(-24 * hourMs)]
  const services: TestService[] = []
  for (const machineClock of clocks) services.push(await startService({ ...common, machineClock }))
  const clients = services.map(({ url }) => createClient(`${url}/staging`, services[0]?.testKey))
  const [first, second] = clients
  if (first === undefined || second === undefined) throw new Error('there are two')

  for (let round = 0; round < 5; round++) {
    for (const client of clients) {
      const transfer = transferBody()
      expectSuccess(await client.post('/v1/transfers/initiate', transfer))
      await untilStatus(client, String(transfer['reference']), 'SUCCESS')
    }
    for (const clock of clocks) clock.aheadMs *= -1
  }
  const collection = collectBody({ phoneNumber: phones.otp })
  expectSuccess(await first.post('/v1/momo/collection', collection))
  const reference = String(collection['reference'])
  await untilMomo(second, 'collection', reference, 'OTP_REQUIRED')
  expectSuccess(await second.post('/v1/momo/collection/verify-otp', { reference, otp: rightCode }))
  await untilMomo(second, 'collection', reference, 'SUCCESS')

  for (const client of clients) client.close()
  for (const service of services) await service.stop()
  const [apart] = await asOwner<{ seconds: number }>(
    database,
    'select max(abs(extract(epoch from clock_timestamp() - created_at)))::float8 as seconds from payment',
  )
  await database.drop()
  // The rows must be no older than this test can take.
  expect(apart?.seconds).toBeLessThan(300)
})
