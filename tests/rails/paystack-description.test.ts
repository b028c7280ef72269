// The fake validates each request against Paystack's own description of its API. These tests prove that the validation
// can fail.

import { expect, it } from 'vitest'
import description from './fixtures/paystack-openapi.json' with { type: 'json' }
import { knownBetter, undescribed } from '#tests/support/fakes/paystack-description.ts'

const transfer = {
  source: 'balance',
  amount: 150_000,
  recipient: 'RCP_1',
  reference: 'c1f3d8a0-0f5e-4f0e-8d31-6a2f3f2b9f10',
  reason: 'order 7',
  currency: 'NGN',
}
const ask = (request: string, body?: unknown): string[] => {
  const [method = '', url = ''] = request.split(' ')
  const { pathname: path, searchParams: query } = new URL(url, 'http://paystack')
  return undescribed({ method, path, query, body })
}
const days = 'from=2026-11-20T00:00:00.000Z&to=2026-11-21T00:00:00.000Z'

it.each([
  ['POST /transfer', transfer],
  [`GET /transfer?${days}&use_cursor=true&perPage=100&status=received`],
  [`GET /balance/ledger?${days}&page=1&perPage=100`],
  ['GET /dedicated_account/available_providers'],
  ['DELETE /dedicated_account/17'],
  ['GET /bank/resolve?account_number=0000000001&bank_code=035A'],
  ['POST /charge', { email: 'a@b.c', amount: 5, bank_transfer: { account_expires_at: '2026-11-20T00:00:00Z' } }],
])('takes %s', (request, body?: unknown) => {
  expect(ask(request, body)).toEqual([])
})

it.each([
  ['a path that is not there', 'GET /transfers', undefined, /is not described/],
  ['another method', 'PUT /transfer', transfer, /is not described/],
  ['a parameter that is not there', `GET /balance/ledger?${days}&use_cursor=true`, undefined, /additional properties/],
  ['a parameter twice', 'GET /transfer?page=1&page=2', undefined, /comes twice/],
  ['a word that is not on the list', 'GET /transfer?status=parked', undefined, /allowed values/],
  ['a day without its time', 'GET /transfer?from=2026-11-20', undefined, /date-time/],
  ['a number that is none', 'GET /bank?perPage=many', undefined, /must be integer/],
  ['a body that nobody asked for', 'GET /balance', {}, /came with a body/],
  ['no body', 'POST /transfer', undefined, /must be object/],
  ['a member too few', 'POST /transfer', { ...transfer, amount: undefined }, /required property 'amount'/],
  ['an amount as text', 'POST /transfer', { ...transfer, amount: '150000' }, /amount must be integer/],
  ['a member that is not there', 'POST /transfer', { ...transfer, metadata: {} }, /unevaluated properties/],
  ['one that is not there inside', 'POST /charge', { email: 'a', amount: 5, bank_transfer: { at: 1 } }, /additional/],
])('refuses %s', (_what, request, body, complaint) => {
  expect(ask(request, body).join('; ')).toMatch(complaint)
})

it('keeps no exception that the description has come to say itself', () => {
  type Operation = { parameters?: { name: string; schema: unknown }[] }
  for (const [id, { fields, because }] of Object.entries(knownBetter)) {
    const [method = '', path = ''] = id.toLowerCase().split(' ')
    const item = (description.paths as Record<string, Record<string, Operation>>)[path]?.[method]
    expect(item, id).toBeDefined()
    expect(because).not.toBe('')
    for (const [name, schema] of Object.entries(fields))
      expect(item?.parameters?.find((one) => one.name === name)?.schema, `${id} ${name}`).not.toEqual(schema)
  }
})
