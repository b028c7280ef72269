// Answers to a business whose virtual account the rail declined.

import { expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createScriptedAccounts } from '#tests/support/scripted-rail.ts'
import { useService } from '#tests/support/service.ts'
import { newCustomer } from '#tests/deposits/requests.ts'

const port = createScriptedAccounts()
const { staging } = await useService({ rails: { staging: [{ name: 'acme', virtualAccounts: port }] }, roles: ['api'] })

it('400 names the missing customer details, and a request with them opens the account', async () => {
  const { reference: customerReference } = await newCustomer(staging)
  port.refusal = { kind: 'incomplete-customer', missing: ['phoneNumber', 'bvn'] }
  const answer = await staging.post('/v1/virtual-accounts/static', { customerReference })
  expectError(
    answer,
    400,
    'VALIDATION_ERROR',
    'The bank that holds virtual accounts needs more data of the customer: phoneNumber, bvn. Update the customer, then try again.',
  )
  expect(answer.body.error?.details).toMatchObject([
    { field: 'customerReference', message: 'the customer has no phoneNumber, bvn' },
  ])
  port.refusal = undefined
  expectSuccess(await staging.post('/v1/virtual-accounts/static', { customerReference }))
})

it('409 for a second account of a person where a bank opens one', async () => {
  const { reference: customerReference } = await newCustomer(staging)
  port.refusal = { kind: 'unsupported', what: 'second-account' }
  expectError(await staging.post('/v1/virtual-accounts/static', { customerReference }), 409, 'CONFLICT')
})

it.each([
  ['any-amount', 'amountPolicy'],
  ['small-amount', 'amount'],
  ['lifetime', 'expiresInMinutes'],
] as const)('400 names the field for %s', async (what, field) => {
  port.refusal = { kind: 'unsupported', what }
  const answer = await staging.post('/v1/virtual-accounts/dynamic', { amount: 250_000, amountPolicy: 'any' })
  expectError(answer, 400, 'VALIDATION_ERROR')
  expect(answer.body.error?.details).toMatchObject([{ field }])
})
