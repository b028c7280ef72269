import { describe, expect, it } from 'vitest'
import { maskBody, maskFaults, maskText } from '#api/server/request-log.ts'

const masked = (body: unknown): unknown => JSON.parse(maskBody(Buffer.from(JSON.stringify(body))) ?? 'null') as unknown

describe('the stored form of a refused body', () => {
  it('shows its shape and what says nothing of a person', () => {
    const body = {
      reference: 'PAYOUT-1',
      amount: 1.5,
      currency: 'NGN',
      bankSlug: 'guaranty-trust-bank',
      accountNumber: '0123456789',
      accountName: 'ADA OBI',
      metadata: { customer: 'Ada' },
      amonut: 5,
      events: ['transfer.success'],
      expiresInMinutes: 4,
    }
    expect(masked(body)).toEqual({
      reference: '[text of 8 characters]',
      amount: 1.5,
      currency: 'NGN',
      bankSlug: 'guaranty-trust-bank',
      accountNumber: '[text of 10 characters]',
      accountName: '[text of 7 characters]',
      metadata: '[object]',
      amonut: '[number]',
      events: ['transfer.success'],
      expiresInMinutes: 4,
    })
  })

  it.each([
    { bvn: '22123456789' },
    { otp: '123456' },
    { otp: 123_456 },
    { phoneNumber: '+2348012345678' },
    { accountNumbr: '0123456789' },
    { amount: 12_345_678_901 },
    { bankSlug: '0123456789' },
    { bankSlug: 'sk_live_abcdefghijklmnop0123456789' },
    { currency: '0123 456 789' },
    { transfers: [{ accountNumber: '0123456789', narration: 'for Ada 0123456789' }] },
    { '0123456789': 1 },
    { type: { bvn: '22123456789' } },
  ])('shows no number of a person and no secret: %j', (body) => {
    const text = JSON.stringify(masked(body))
    expect(text).not.toMatch(/\d{6}/)
    expect(text).not.toMatch(/\d{3} \d{3}/)
    expect(text).not.toContain('abcdefghijklmnop')
    expect(text).not.toContain('Ada')
  })

  it('is bounded, however long and deep the body is', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${'abc'.repeat(12)}${n}`, 'x'.repeat(90)]))
    const transfers = Array.from({ length: 1_000 }, () => ({ amount: 1, ...many }))
    expect(maskBody(Buffer.from(JSON.stringify({ transfers: [many] })))?.length).toBeLessThanOrEqual(2_048)
    expect(maskBody(Buffer.from(JSON.stringify({ transfers })))).toBeUndefined()
    const deep = `${'{"transfers":['.repeat(2_000)}1${']}'.repeat(2_000)}`
    expect(maskBody(Buffer.from(deep))?.length).toBeLessThanOrEqual(2_048)
  })

  it.each(['', 'no json', '"text"', '1', 'null', '{"amount":'])('is nothing of %j', (sent) => {
    expect(maskBody(Buffer.from(sent))).toBeUndefined()
  })

  it('cuts texts of callers', () => {
    expect(maskText('curl/8.5.0', 100)).toBe('curl/8.5.0')
    expect(maskText(`shop for 08012345678 ${'x'.repeat(200)}`, 100)).toMatch(/^shop for \[digits\] x+$/)
  })
})

const maskedFaults = (
  faults: { field: string; message: string }[],
  { errorCode = 'VALIDATION_ERROR' as const, body = {}, rawQuery = '' }: Partial<Asked> = {},
): unknown =>
  JSON.parse(maskFaults(faults, { errorCode, sent: Buffer.from(JSON.stringify(body)), rawQuery })) as unknown
type Asked = {
  errorCode: 'VALIDATION_ERROR' | 'INSUFFICIENT_BALANCE' | 'LIMIT_EXCEEDED'
  body: unknown
  rawQuery: string
}

describe('the stored reasons of a refusal', () => {
  it('shows the fields, items by their number, and the numbers of our rules', () => {
    const faults = [
      { field: 'amount', message: 'amount is an integer in kobo: ₦1,500.00 is 150000' },
      { field: 'transfers.12.narration', message: 'transfers.12.narration must not be empty' },
    ]
    expect(maskedFaults(faults)).toEqual(faults)
  })

  it('hides names that callers choose and digits that they sent', () => {
    const field = 'metadata.Ada Obi'
    const name = 'metadata.[name of 7 characters]'
    expect(maskedFaults([{ field, message: `${field} must be a string` }])).toEqual([
      { field: name, message: `${name} must be a string` },
    ])
    const faults = [{ field: 'q', message: 'q is 0123456789 or 22123456789 or sk_live_abcdefghijklmnop0123456789' }]
    expect(maskedFaults(faults, { body: { q: '0123456789' }, rawQuery: 'bvn=22123456789' })).toEqual([
      { field: 'q', message: 'q is [digits] or [digits] or sk_live_[redacted]' },
    ])
  })

  it('hides the balance', () => {
    const faults = [{ field: 'amount', message: 'required 500, available 123456789' }]
    expect(maskedFaults(faults, { errorCode: 'INSUFFICIENT_BALANCE' })).toEqual([
      { field: 'amount', message: 'required [digits], available [digits]' },
    ])
  })

  it('hides what is left of a limit, also of one item, and shows when a new day begins', () => {
    const resetsAt = '2026-11-27T23:00:00.000Z'
    const say = (left: string): string => `at most ${left} until ${resetsAt}, when a new day begins in Lagos`
    const hidden = say('[digits]')
    expect(maskedFaults([{ field: 'amount', message: say('5000') }], { errorCode: 'LIMIT_EXCEEDED' })).toEqual([
      { field: 'amount', message: hidden },
    ])
    const item = { field: 'transfers.3.amount', errorCode: 'LIMIT_EXCEEDED' as const }
    expect(maskedFaults([{ ...item, message: say('123456789') }])).toEqual([{ ...item, message: hidden }])
  })

  it('is bounded, and counts what it left out', () => {
    const many = Array.from({ length: 50 }, (_, n) => ({
      field: `f${'\u0001'.repeat(300)}${n}`,
      message: '\u0001'.repeat(300),
    }))
    expect(JSON.stringify(maskedFaults(many)).length).toBeLessThanOrEqual(2_048)
    const short = Array.from({ length: 50 }, (_, n) => ({ field: `items.${n}`, message: 'is wrong' }))
    expect(maskedFaults(short)).toHaveLength(21)
    expect(maskedFaults(short)).toContainEqual({ field: '…', message: '30 more' })
  })
})
