import { describe, expect, it } from 'vitest'
import { maskBody, maskText } from '#api/server/request-log.ts'

const masked = (body: unknown): unknown => JSON.parse(maskBody(Buffer.from(JSON.stringify(body))) ?? 'null') as unknown

describe('what is kept of a refused body', () => {
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
