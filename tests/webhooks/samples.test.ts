// A sample looks like what it stands for: the same fields in the same order, of the same kinds. What the service writes
// for real is what it is held against.

import { describe, expect, it } from 'vitest'
import { eventNames, type EventName } from '#events/catalogue.ts'
import { sampleOf } from '#webhooks/samples.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { dynamicAccount, pay, staticAccount } from '#tests/deposits/requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const service = await useService()
const atMs = Date.parse('2026-01-15T09:30:00.000Z')

async function endTransfer(...endings: string[]): Promise<string> {
  const body = transferBody({ accountNumber: neverEnding, narration: 'x', metadata: { a: 'b' } })
  const { reference } = expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
  for (const status of endings) {
    expectSuccess(await service.staging.post(`/v1/sandbox/transfers/${reference}/complete`, { status }))
  }
  return reference
}

const real: Partial<Record<EventName, () => Promise<string>>> = {
  'transfer.success': () => endTransfer('SUCCESS'),
  'transfer.failed': () => endTransfer('FAILED'),
  'transfer.reversed': () => endTransfer('SUCCESS', 'REVERSED'),
  'deposit.success': async () => {
    const { accountNumber } = await dynamicAccount(service.staging, { reference: 'ORDER-9' })
    return (await pay(service.staging, accountNumber, 250_000)).reference
  },
  'customer.deposit.success': async () => {
    const { accountNumber } = await staticAccount(service.staging)
    return (await pay(service.staging, accountNumber, 250_000)).reference
  },
}

/** Field by field what kind of thing stands there. */
function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return Object.entries(value).map(([name, inner]) => [name, name === 'metadata' ? 'metadata' : shapeOf(inner)])
}

describe('a sample has the shape of the real event', () => {
  it.each(Object.entries(real))('%s', async (name, make) => {
    const reference = await make()
    const [row] = await asOwner<{ data: string }>(
      service.database,
      'select data from event where reference = $1 and name = $2',
      [reference, name],
    )
    expect(shapeOf(sampleOf(name as EventName, atMs).data)).toEqual(shapeOf(JSON.parse(row?.data ?? '')))
  })
})

const momoTransfer =
  'id reference status isFinal amount fee totalDebit currency phoneNumber operator accountName narration ' +
  'operatorReference failureReason failureMessage metadata createdAt updatedAt completedAt'
const momoCollection =
  'id reference status isFinal requiresOtp otpExpiresAt expiresAt amount fee currency phoneNumber operator narration ' +
  'operatorReference depositReference failureReason failureMessage metadata createdAt updatedAt completedAt'

it.each([
  ['momo.transfer.success', momoTransfer],
  ['momo.transfer.failed', momoTransfer],
  ['momo.collection.success', momoCollection],
  ['momo.collection.failed', momoCollection],
] as const)('%s has the fields of its record', (name, fields) => {
  expect(Object.keys(sampleOf(name, atMs).data)).toEqual(fields.split(' '))
})

it.each(eventNames)('%s is about a reference of its own, and about what ends as its name says', (name) => {
  const [one, two] = [sampleOf(name, atMs), sampleOf(name, atMs)]
  expect(one.reference).toMatch(/^SAMPLE-[0-9A-Z]{26}$/)
  expect(one.reference).not.toBe(two.reference)
  expect(one.data['reference']).toBe(one.reference)
  const ending = name.split('.').at(-1) ?? ''
  const status = { success: /^SUCCESS(FUL)?$/, failed: /^FAILED$/, reversed: /^REVERSED$/ }[ending]
  expect(one.data['status']).toMatch(status ?? '')
  expect(one.data['updatedAt']).toBe(new Date(atMs).toISOString())
})
