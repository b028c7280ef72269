// The whole service with a provider that allows few calls: businesses take turns.

import { afterAll, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import { sendBulk } from '#tests/api/bulk.ts'
import { newReference, transferBody } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const fake = await startFakePaystack()
const net = createNet()
const paystack = createPaystack({
  name: 'paystack',
  secretKey: paystackTestKey,
  emailDomain: 'pay.example.com',
  baseUrl: fake.url,
  net,
  clock: systemClock,
})
const service = await useService({ rails: { staging: [paystack] } })
afterAll(() => Promise.all([net.close(), fake.close()]))

it('a business that pays many salaries delays the payments of another by no more than a few calls', async () => {
  const other = await service.addBusiness('Other')
  const salaries = Array.from({ length: 3_000 }, (_, n) =>
    transferBody({ reference: newReference('SALARY'), amount: 10_000, accountNumber: String(3_000_000_000 + n) }),
  )
  const beganMs = performance.now()
  for (const from of [0, 1_000, 2_000])
    expectSuccess(await sendBulk(service.staging, salaries.slice(from, from + 1_000)))
  // Paystack's test keys allow a hundred calls a minute: 20 leave at once, then one each second.
  await untilHolds(() => expect(fake.transfers().length).toBeGreaterThanOrEqual(20))

  for (const accountNumber of ['0123456780', '0123456781', '0123456782']) {
    expectSuccess(await other.staging.post('/v1/transfers/initiate', transferBody({ accountNumber })))
    const sentBefore = fake.transfers().length
    await untilHolds(() => expect(fake.transfersTo(accountNumber)).toHaveLength(1))
    const sentMeanwhile = fake.transfers().findIndex((one) => one.accountNumber === accountNumber) - sentBefore
    expect(sentMeanwhile).toBeLessThan(10)
  }
  const passedSeconds = Math.ceil((performance.now() - beganMs) / 1_000)
  expect(fake.transfers().length).toBeLessThanOrEqual(20 + passedSeconds)
  expect(fake.faults).toEqual([])
})
