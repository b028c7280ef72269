// The currencies of a business: an owner switches them on and off, everybody who sees the balance sees them.

import { expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
const pathOf = (environment: 'staging' | 'production') => `${below(service, environment)}/currencies`

it('are switched on and off by an owner, and stand in the audit log', async () => {
  const path = pathOf('production')
  expect(expectSuccess(await owner.get(path))).toEqual({ currencies: [{ currency: 'NGN', on: true }] })
  expect(expectSuccess(await owner.patch(path, { on: ['XOF', 'GHS'] })).currencies).toEqual([
    { currency: 'NGN', on: true },
    { currency: 'GHS', on: true },
    { currency: 'XOF', on: true },
  ])
  expect(expectSuccess(await owner.patch(path, { off: ['GHS'] })).currencies).toContainEqual({
    currency: 'GHS',
    on: false,
  })
  // A request that changes nothing writes no entry.
  expectSuccess(await owner.patch(path, { off: ['GHS'] }))
  const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=currencies.set`))
  expect(entries.map(({ environment, details }: Record<string, unknown>) => [environment, details])).toEqual([
    ['production', { on: '', off: 'GHS' }],
    ['production', { on: 'XOF, GHS', off: '' }],
  ])
})

it('are refused where money is, for naira, and under an unknown name', async () => {
  const path = pathOf('staging')
  expectSuccess(await owner.patch(path, { on: ['KES'] }))
  expectError(await owner.patch(path, { off: ['KES'] }), 409, 'CONFLICT', /KES has a balance/)
  expectError(await owner.patch(path, { off: ['NGN'] }), 400, 'VALIDATION_ERROR', /NGN is always on/)
  expectError(await owner.patch(path, { on: ['EUR'] }), 400, 'VALIDATION_ERROR')
})

it('are changed by no other role, and in production with a recent second factor only', async () => {
  const finance = await addPerson(service, { role: 'finance', hasFactor: true, steppedUp: true })
  expectSuccess(await finance.get(pathOf('production')))
  expectError(await finance.patch(pathOf('production'), { on: ['KES'] }), 403, 'FORBIDDEN')
  const late = await addPerson(service, { role: 'owner', hasFactor: true })
  expectError(await late.patch(pathOf('production'), { on: ['KES'] }), 403, 'STEP_UP_REQUIRED')
  expectSuccess(await late.patch(pathOf('staging'), { on: ['KES'] }))
})

it('show in the figures, the statement and its export of one currency', async () => {
  const place = below(service, 'staging')
  expectSuccess(await owner.patch(pathOf('staging'), { on: ['XOF'] }))
  const statement = expectSuccess(await owner.get(`${place}/statement?currency=XOF`))
  expect(statement).toMatchObject({ closing: 1_000_000_000, adds: true, entries: [{ in: 1_000_000_000 }] })
  const csv = await owner.get(`${place}/export/statement.csv?currency=XOF&columns=reference,in,balanceAfter`)
  expect(csv.text).toContain('in (XOF),balanceAfter (XOF)')
  expect(csv.text).toContain('opening balance,1000000000,1000000000')
})
