// The alert of a low balance: an owner sets it, everyone who may see the balance gets it, and the audit log has it.

import { expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const strong = { hasFactor: true, steppedUp: true }
const owner = await addPerson(service, { role: 'owner', ...strong })
const [staging, production] = [below(service, 'staging'), below(service, 'production')]
/** The opening balance on staging. */
const opening = 100_000_000_000

async function alertsOf(person: TestPerson, place: string) {
  const { alerts } = expectSuccess(await person.get(`${place}/alerts`))
  return alerts.filter(({ kind }: { kind: string }) => kind === 'balance-low')
}

it('is raised when less is available than the threshold, and not at the threshold', async () => {
  const path = `${staging}/low-balance`
  expect(expectSuccess(await owner.get(path))).toEqual({ amount: null, available: opening, isLow: false, mails: null })
  expect(await alertsOf(owner, staging)).toEqual([])
  expect(expectSuccess(await owner.patch(path, { amount: opening }))).toMatchObject({ isLow: false })
  expect(expectSuccess(await owner.patch(path, { amount: opening + 1 }))).toMatchObject({ isLow: true })
  expect(await alertsOf(owner, staging)).toEqual([
    {
      id: 'balance-low',
      kind: 'balance-low',
      severity: 'asks',
      says: 'The available balance, ₦1,000,000,000.00, is below ₦1,000,000,000.01.',
      href: `/dashboard${staging}/balance`,
    },
  ])
  // The other environment has its own threshold.
  expect(expectSuccess(await owner.get(`${production}/low-balance`))).toEqual({
    amount: null,
    available: 0,
    isLow: false,
    mails: null,
  })
})

it('is in the audit log with the earlier value, and is not if nothing changed', async () => {
  const path = `${production}/low-balance`
  for (const amount of [5_000, 7_000, 7_000, null]) expectSuccess(await owner.patch(path, { amount }))
  const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=low-balance.set`))
  const told = entries.map(({ environment, details }: Record<string, unknown>) => ({ environment, details }))
  expect(told.slice(0, 3)).toEqual([
    { environment: 'production', details: { amount: 'none', amountBefore: '7000' } },
    { environment: 'production', details: { amount: '7000', amountBefore: '5000' } },
    { environment: 'production', details: { amount: '5000', amountBefore: 'none' } },
  ])
})

it('is not shown to people who may not see the balance', async () => {
  expectSuccess(await owner.patch(`${staging}/low-balance`, { amount: opening + 1 }))
  const viewer = await addPerson(service, { role: 'viewer' })
  const support = await addPerson(service, { role: 'support' })
  expect(await alertsOf(viewer, staging)).toHaveLength(1)
  expect(await alertsOf(support, staging)).toEqual([])
  expectError(await support.get(`${staging}/low-balance`), 403, 'FORBIDDEN')
})

it.each([0, -1, 1.5, '100', undefined])('is not set to %s', async (amount) => {
  expectError(await owner.patch(`${staging}/low-balance`, { amount }), 400, 'VALIDATION_ERROR')
})

it('has a threshold for each currency, and each alert names its own', async () => {
  const path = `${staging}/low-balance`
  expectSuccess(await owner.patch(path, { amount: null }))
  const off = await owner.patch(path, { amount: 5_000, currency: 'GHS' })
  expectError(off, 400, 'VALIDATION_ERROR', /GHS is not switched on/)
  expectSuccess(await owner.patch(`${staging}/currencies`, { on: ['GHS', 'XOF'] }))
  expect(expectSuccess(await owner.patch(path, { amount: 1_000_000_001, currency: 'XOF' }))).toEqual({
    amount: 1_000_000_001,
    available: 1_000_000_000,
    isLow: true,
    mails: null,
  })
  expectSuccess(await owner.patch(path, { amount: opening + 50, currency: 'GHS' }))
  expect(expectSuccess(await owner.get(path))).toMatchObject({ amount: null, available: opening, isLow: false })
  expect(expectSuccess(await owner.get(`${path}?currency=GHS`))).toMatchObject({ amount: opening + 50, isLow: true })
  expect(await alertsOf(owner, staging)).toEqual([
    {
      id: 'balance-low GHS',
      kind: 'balance-low',
      severity: 'asks',
      says: 'The available balance, GHS 1,000,000,000.00, is below GHS 1,000,000,000.50.',
      href: `/dashboard${staging}/balance?currency=GHS`,
    },
    expect.objectContaining({
      id: 'balance-low XOF',
      says: 'The available balance, XOF 1,000,000,000, is below XOF 1,000,000,001.',
    }),
  ])
  const { entries } = expectSuccess(await owner.get(`${below(service)}/audit?act=low-balance.set`))
  expect(entries[0].details).toEqual({ currency: 'GHS', amount: String(opening + 50), amountBefore: 'none' })
  // The alert is resolved when the balance covers the threshold again.
  expectSuccess(await service.staging.post('/v1/sandbox/balance/fund', { amount: 50, currency: 'GHS' }))
  expect((await alertsOf(owner, staging)).map(({ id }: { id: string }) => id)).toEqual(['balance-low XOF'])
  expectSuccess(await owner.patch(path, { amount: null, currency: 'XOF' }))
  expect(await alertsOf(owner, staging)).toEqual([])
  expectError(await owner.get(`${path}?currency=EUR`), 400, 'VALIDATION_ERROR')
})

it('says nothing of a currency that was switched off', async () => {
  expectSuccess(await owner.patch(`${production}/currencies`, { on: ['KES'] }))
  expectSuccess(await owner.patch(`${production}/low-balance`, { amount: 100, currency: 'KES' }))
  expect(await alertsOf(owner, production)).toHaveLength(1)
  expectSuccess(await owner.patch(`${production}/currencies`, { off: ['KES'] }))
  expect(await alertsOf(owner, production)).toEqual([])
})
