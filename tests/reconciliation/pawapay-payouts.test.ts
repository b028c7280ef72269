// The rows of pawaPay's statements have no status, so the service asks pawaPay about a listed payout that failed here.

import { expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { listOpenExceptions } from '#review/review-queue.ts'
import { newReference } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePawapayService } from './pawapay-service.ts'

const { clock, fake, service } = await usePawapayService('production')

let numbersUsed = 233_240_000_000

async function begin(kind: 'collection' | 'transfer', { amount, fate }: { amount: number; fate: string }) {
  const [reference, phoneNumber] = [newReference(), `+${(numbersUsed += 1)}`]
  fake.script(phoneNumber, { fate, words: [] })
  const body = { reference, amount, currency: 'GHS', phoneNumber, operator: 'mtn-gh' }
  expectSuccess(await service.production.post(`/v1/momo/${kind}`, body))
  // A collection expires after fifteen minutes of this clock, which a slow machine must not reach first.
  const { id } = await untilHolds(() => present(fake.paymentsOf(phoneNumber)[0], 'it arrived'))
  const path = `/v1/momo/${kind}/${reference}`
  await untilHolds(async () => {
    clock.advance(5_000)
    expect(expectSuccess(await service.production.get(path))).toMatchObject({ isFinal: true })
  })
  return { reference, phoneNumber, id }
}

const contradicted = async () =>
  (await listOpenExceptions(service.ctx, ['payment-contradicted'])).exceptions.map(({ reference, fact }) => ({
    reference,
    fact,
  }))

it('raises a payout that pawaPay paid after it had failed, of which no callback came, and no other', async () => {
  await begin('collection', { amount: 100_000, fate: 'COMPLETED' })
  const failed = await begin('transfer', { amount: 12_550, fate: 'RECIPIENT_NOT_FOUND' })
  const paidLate = await begin('transfer', { amount: 12_550, fate: 'RECIPIENT_NOT_FOUND' })
  // The first time that the lists are compared, pawaPay cannot be asked.
  fake.script(paidLate.phoneNumber, { fate: 'COMPLETED', words: [], status: ['gateway-page'] })
  for (const { id } of [failed, paidLate])
    fake.statements.rows.push({
      country: 'GHA',
      currency: 'GHS',
      type: 'PAYOUT',
      id,
      amount: '125.50',
      atMs: clock.now(),
    })
  await untilHolds(async () => {
    clock.advance(60 * 60_000)
    expect(await contradicted()).toEqual([
      { reference: paidLate.reference, fact: 'its rail says succeeded, after it had ended FAILED' },
    ])
  })
})
