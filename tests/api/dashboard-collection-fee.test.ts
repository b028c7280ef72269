// The dashboard shows the fee of a collection before it is started.

import { expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
const path = `${below(service, 'staging')}/collection-fee`

it('is the fee that the collection then has', async () => {
  for (const amount of [10_000, 200_050, 10_000_000]) {
    const said = expectSuccess(await owner.get(`${path}?amount=${amount}`))
    const request = { reference: `COLLECT-${amount}`, amount, phoneNumber: '08030000000' }
    const outcome = await service.staging.post('/v1/momo/collection', request)
    expect(said.credited).toBe(amount - said.fee)
    expect(expectSuccess(outcome).fee).toBe(said.fee)
  }
})

it('is said in the currency of the collection, which has no maximum outside naira', async () => {
  expect(expectSuccess(await owner.get(`${path}?amount=100000000&currency=UGX`))).toEqual({
    amount: 100_000_000,
    fee: 1_000_000,
    credited: 99_000_000,
  })
})

it.each([
  ['', 'amount'],
  ['?amount=0', 'amount'],
  ['?amount=1.5', 'amount'],
  ['?amount=1&currency=EUR', 'currency'],
])('names the fault of “%s”', async (query, field) => {
  const answer = await owner.get(`${path}${query}`)
  expectError(answer, 400, 'VALIDATION_ERROR')
  expect(answer.body.error?.details).toMatchObject([{ field, message: expect.any(String) }])
})

it('is not shown to a person of another business', async () => {
  const stranger = await addPerson(service)
  expectError(await stranger.get(`${path}?amount=1`), 404, 'NOT_FOUND')
})
