// A sample looks like the event that it stands for: the same fields in the same order, of the same types, and the same
// failure reason. The test compares it with events that the service writes.

import { expect, it } from 'vitest'
import { eventNames, type EventName } from '#events/catalogue.ts'
import { sampleOf } from '#webhooks/samples.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { shareService } from '#tests/support/service.ts'
import { dynamicAccount, pay, staticAccount } from '#tests/deposits/requests.ts'
import { collectBody, phones, sendBody } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const service = await shareService()
const atMs = Date.parse('2026-01-15T09:30:00.000Z')

type Kind = { begin: string; complete: (reference: string) => string; body: () => Record<string, unknown> }

const about = { narration: 'x', metadata: { a: 'b' } }
const transfer: Kind = {
  begin: '/v1/transfers/initiate',
  complete: (reference) => `/v1/sandbox/transfers/${reference}/complete`,
  body: () => transferBody({ accountNumber: neverEnding, ...about }),
}
const momoTransfer: Kind = {
  begin: '/v1/momo/transfer',
  complete: (reference) => `/v1/sandbox/momo/transfer/${reference}/complete`,
  body: () => sendBody({ phoneNumber: phones.neverEnding, accountName: 'Ada Obi', ...about }),
}
const momoCollection: Kind = {
  begin: '/v1/momo/collection',
  complete: (reference) => `/v1/sandbox/momo/collection/${reference}/complete`,
  body: () => collectBody({ phoneNumber: phones.neverEnding, ...about }),
}

/** Makes a payment and completes it with each of these endings, one after the other. */
async function end({ begin, complete, body }: Kind, ...endings: Record<string, unknown>[]): Promise<string> {
  const { reference } = expectSuccess(await service.staging.post(begin, body()))
  for (const ending of endings) expectSuccess(await service.staging.post(complete(reference), ending))
  return reference
}

const success = { status: 'SUCCESS' }
const failure = (name: EventName) => ({ status: 'FAILED', failureReason: sampleOf(name, atMs).data['failureReason'] })

const real: Record<EventName, () => Promise<string>> = {
  'transfer.success': () => end(transfer, success),
  'transfer.failed': () => end(transfer, failure('transfer.failed')),
  'transfer.reversed': () => end(transfer, success, { status: 'REVERSED' }),
  'deposit.success': async () => {
    const { accountNumber } = await dynamicAccount(service.staging, { reference: 'ORDER-9' })
    return (await pay(service.staging, accountNumber, 250_000)).reference
  },
  'customer.deposit.success': async () => {
    const { accountNumber } = await staticAccount(service.staging)
    return (await pay(service.staging, accountNumber, 250_000)).reference
  },
  'momo.transfer.success': () => end(momoTransfer, success),
  'momo.transfer.failed': () => end(momoTransfer, failure('momo.transfer.failed')),
  'momo.collection.success': () => end(momoCollection, success),
  'momo.collection.failed': () => end(momoCollection, failure('momo.collection.failed')),
}

function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return Object.entries(value).map(([name, inner]) => [name, name === 'metadata' ? 'metadata' : shapeOf(inner)])
}

it.each(eventNames)(
  'a sample of %s has the shape of the real event, and the same reason of a failure',
  async (name) => {
    const reference = await real[name]()
    const [row] = await asOwner<{ data: string }>(
      service.database,
      'select data from event where reference = $1 and name = $2',
      [reference, name],
    )
    const [sample, event] = [sampleOf(name, atMs).data, JSON.parse(row?.data ?? '') as Record<string, unknown>]
    expect(shapeOf(sample)).toEqual(shapeOf(event))
    expect([sample['failureReason'], sample['failureMessage']]).toEqual([
      event['failureReason'],
      event['failureMessage'],
    ])
  },
)

it.each(eventNames)('a sample of %s has a reference of its own and the status that the event’s name says', (name) => {
  const [one, two] = [sampleOf(name, atMs), sampleOf(name, atMs)]
  expect(one.reference).toMatch(/^SAMPLE-[0-9A-Z]{26}$/)
  expect(one.reference).not.toBe(two.reference)
  expect(one.data['reference']).toBe(one.reference)
  const ending = name.split('.').at(-1) ?? ''
  const status = { success: /^SUCCESS(FUL)?$/, failed: /^FAILED$/, reversed: /^REVERSED$/ }[ending]
  expect(one.data['status']).toMatch(status ?? '')
  expect(one.data['updatedAt']).toBe(new Date(atMs).toISOString())
})
