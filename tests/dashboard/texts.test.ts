// Texts of the pages: why a delivery failed and why money was returned, what a month is, and what a payer reads.

import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '#dashboard/api/audit.ts'
import events from '#dashboard/api/events.json' with { type: 'json' }
import magicNumbers from '#dashboard/api/magic-numbers.json' with { type: 'json' }
import receivers from '#dashboard/api/receivers.json' with { type: 'json' }
import type { VirtualAccount } from '#dashboard/api/schema.ts'
import { textForPayer } from '#dashboard/pages/accounts/for-the-payer.ts'
import { sayAct, sayDetail, withoutEndedStarts } from '#dashboard/pages/audit/say-act.ts'
import { whyItFailed } from '#dashboard/pages/deliveries/why-failed.ts'
import { whyReturned } from '#dashboard/pages/deposits/why-returned.ts'
import { sayLastUsed } from '#dashboard/pages/keys/last-used.ts'
import { isMonth, monthAt, nameMonth, rangeOf, stepMonth } from '#dashboard/format/days.ts'
import { sayWhat } from '#dashboard/pages/statement/say-what.ts'
import { nameDevice } from '#dashboard/format/device.ts'
import { lookOf, sayCodes } from '#dashboard/format/statuses.ts'
import { exportColumns } from '#dashboard/table/export-columns.ts'
import { outcomes } from '#audit/entry.ts'
import { asFailure, NetFailure } from '#platform/http-client/addresses.ts'
import { keyStates } from '#businesses/keys.ts'
import { accountStatuses } from '#virtual-accounts/account.ts'
import { bankFailureReasons, momoFailureReasons } from '#rails/rail.ts'
import { customerStatuses } from '#virtual-accounts/customers.ts'
import { depositStatuses } from '#deposits/deposit.ts'
import { eventNames, deliveryStatuses } from '#events/catalogue.ts'
import { shownStatuses } from '#api/v1/webhook-fields.ts'
import { collectionStatuses, transferStatuses } from '#payments/payment.ts'

const lagos = 'Africa/Lagos'

describe('why a delivery failed', () => {
  it.each([
    [301, /Redirects are not followed/],
    [401, /refused the signature/],
    [410, /it is gone/],
    [400, /signature does not verify/],
    [503, /A proxy answered/],
    [500, /Its own log says why/],
  ])('is explained for %i', (statusCode, words) => {
    expect(whyItFailed({ statusCode, error: 'The receiver answered.' })).toMatch(words)
  })

  it.each([
    ['CERT_HAS_EXPIRED', false, /secure connection/],
    ['ECONNREFUSED', false, /Nothing accepts connections/],
    ['UND_ERR_CONNECT_TIMEOUT', false, /longer than 30 seconds/],
    ['ECONNRESET', true, /ended in the middle/],
  ])('is explained for what the sender calls %s', (code, sent, words) => {
    const thrown = Object.assign(new Error(code), { code, ...(code === 'ECONNREFUSED' ? { syscall: 'connect' } : {}) })
    const { message } = asFailure(thrown, new URL('https://shop.example.com/'), sent)
    expect(whyItFailed({ statusCode: null, error: message })).toMatch(words)
  })

  it.each([
    'the host name was not resolved (ENOTFOUND)',
    'the host name leads to no public address',
    'the address is not a public one, so it is not called',
    'there was no complete answer within 30000 ms',
  ])('is explained for: %s', (message) => {
    expect(whyItFailed({ statusCode: null, error: new NetFailure('dns', message).message })).toBeDefined()
  })

  it('is not guessed where it is unusual', () => {
    expect(whyItFailed({ statusCode: 418, error: 'The receiver answered 418.' })).toBeUndefined()
    expect(whyItFailed({ statusCode: null, error: 'Something new.' })).toBeUndefined()
  })
})

describe('money that went back', () => {
  it('is explained with both sums', () => {
    expect(whyReturned({ reason: 'UNDERPAID', amount: 90_000 }, 100_000)).toBe(
      'Paid ₦900.00 of ₦1,000.00: too little. It goes back to the sender.',
    )
    expect(whyReturned({ reason: 'ACCOUNT_CLOSED', amount: 90_000 }, null)).toContain('Paid ₦900.00 after')
  })
})

describe('a month', () => {
  it('begins and ends at midnight of its zone', () => {
    expect(rangeOf('2026-02', lagos)).toEqual({ from: '2026-01-31T23:00:00.000Z', to: '2026-02-28T22:59:59.999Z' })
    expect(rangeOf('2028-02', 'UTC').to).toBe('2028-02-29T23:59:59.999Z')
  })

  it('is that of the zone, an hour before it is that of London', () => {
    expect(monthAt(Date.parse('2026-10-31T23:30:00Z'), lagos)).toBe('2026-11')
    expect(monthAt(Date.parse('2026-10-31T23:30:00Z'), 'UTC')).toBe('2026-10')
  })

  it('is stepped over the ends of years, and back', () => {
    expect(stepMonth('2026-12', 1)).toBe('2027-01')
    expect(stepMonth(stepMonth('2026-01', -1), 1)).toBe('2026-01')
    expect(nameMonth('2025-12')).toBe('December 2025')
  })

  it.each(['2026-13', '2026-00', '9999-12', 'soon', '', '2026-1', '2026-011'])('is not %s', (text) => {
    expect(isMonth(text)).toBe(false)
  })
})

describe('when a key was used', () => {
  const nowMs = Date.parse('2026-11-22T12:00:00Z')
  it.each([
    [null, 'Never used'],
    ['2026-11-22T11:56:00Z', 'Used 4 minutes ago'],
    ['2026-10-01T12:00:00Z', 'Not in 30 days (52 days ago)'],
  ])('%s: %s', (at, words) => {
    expect(sayLastUsed(at, nowMs)).toBe(words)
  })
})

describe('texts for payers', () => {
  it('has the sum, the number and the time that it must come by', () => {
    const account = {
      accountNumber: '0123456789',
      accountName: 'Ada Obi',
      bankName: 'Wema Bank',
      amount: 150_000,
      amountPolicy: 'exact',
      expiresAt: '2026-11-22T13:00:00Z',
    } as VirtualAccount
    expect(textForPayer(account, lagos, Date.parse('2026-11-22T12:00:00Z')).split('\n')).toEqual([
      'Please pay ₦1,500.00 to:',
      'Bank: Wema Bank',
      'Account number: 012 345 6789',
      'Account name: Ada Obi',
      'Pay exactly this amount. Any other amount is sent back.',
      'Before 22 Nov, 14:00:00 (WAT).',
    ])
  })
})

describe('texts from the documents', () => {
  it('is every receiver, every event and every number that decides', () => {
    expect(receivers.map(({ language }) => language)).toEqual(['TypeScript', 'Python', 'Go', 'PHP', 'Java'])
    expect(receivers.every(({ code }) => code.includes('WEBHOOK_SECRET'))).toBe(true)
    expect(events.map(({ name }) => name).toSorted()).toEqual([...eventNames].toSorted())
    expect(magicNumbers.accounts.length).toBeGreaterThan(10)
    expect(magicNumbers.phones.map(({ number }) => number)).toContain('08000000009')
  })
})

describe('a status of the service', () => {
  it.each([
    ['payments', [...transferStatuses, ...collectionStatuses]],
    ['deposits', depositStatuses],
    ['accounts', accountStatuses],
    ['customers', customerStatuses],
    ['keys', keyStates],
    ['subscriptions', shownStatuses],
    ['deliveries', deliveryStatuses],
    ['the audit log', outcomes],
  ])('of %s has a word of its own on screen', (_, statuses) => {
    expect(statuses.filter((status) => lookOf(status).words === status)).toEqual([])
  })
})

it.each([
  ['It failed: DORMANT_ACCOUNT.', 'It failed: dormant account.'],
  ['It failed: OTP_EXPIRED.', 'It failed: code expired.'],
  ['The rail said that it came back: NIP code 14.', 'The rail said that it came back: NIP code 14.'],
])('a code within a sentence is words: %s', (sentence, shown) => {
  expect(sayCodes(sentence)).toBe(shown)
})

it.each([...new Set([...bankFailureReasons, ...momoFailureReasons])])('a failure is words: %s', (reason) => {
  expect(sayCodes(`It failed: ${reason}.`)).not.toContain(reason)
})

describe('a name of the server', () => {
  it('is a head that can be read, and one that is new stays as it is', () => {
    expect(exportColumns('id recipientAccountNumber')).toEqual([
      { id: 'id', head: 'Id' },
      { id: 'recipientAccountNumber', head: 'Recipient account number' },
    ])
    expect(sayWhat('hold')).toBe('Payment and fee reserved')
    expect(sayWhat('something_new')).toBe('something_new')
  })
})

describe('a device that signed in', () => {
  const engine = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  it.each([
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${engine} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
      'Edge on Windows',
    ],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${engine} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${engine} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on macOS'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1',
      'Safari on iPhone',
    ],
    ['curl/8.14.1', 'curl/8.14.1'],
  ])('is called what a person calls it: %s', (userAgent, name) => {
    expect(nameDevice(userAgent)).toBe(name)
  })
})

describe('the audit log', () => {
  const asked = { details: { operation: 'initiateTransfer' }, act: 'dashboard.asked' }

  it('says an action in words', () => {
    expect(sayAct(asked)).toBe('Send payout')
    expect(sayAct({ act: 'payout.approved', details: null })).toBe('Payout approved')
    expect(sayAct({ act: 'sign-in.made', details: null })).toBe('Signed in')
  })

  it('says amounts as money, in the currency of the entry', () => {
    expect(sayDetail('total', { total: '25000000', rows: 1 })).toBe('₦250,000.00')
    expect(sayDetail('total', { total: '150000', currency: 'GHS' })).toMatch(/^GHS.1,500\.00$/)
    expect(sayDetail('amountBefore', { amount: '5000', amountBefore: 'none' })).toBe('none')
    expect(sayDetail('rows', { total: '25000000', rows: 1 })).toBe('1')
    expect(sayDetail('note', { note: null })).toBe('–')
  })

  it('shows how an action ended in place of its beginning, and a beginning alone', () => {
    const entry = (requestId: string, outcome: AuditEntry['outcome']) => ({ requestId, outcome }) as AuditEntry
    const entries = [entry('r1', 'done'), entry('r2', 'asked'), entry('r1', 'asked')]
    expect(withoutEndedStarts(entries)).toEqual(entries.slice(0, 2))
  })
})
