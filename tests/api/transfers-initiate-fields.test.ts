// Invalid requests for transfers, field by field, which leave nothing behind.

import { describe, expect, it } from 'vitest'
import { expectError, type Answer } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { shareService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'

const service = await shareService()
const path = '/v1/transfers/initiate'
const send = (changes: Record<string, unknown> = {}): Promise<Answer> =>
  service.staging.post(path, transferBody(changes))
const detailsOf = (answer: Answer) => answer.body.error?.details

/** Rows that a refused request must not leave behind. */
async function traces(reference: unknown): Promise<unknown[]> {
  return asOwner(
    service.database,
    'select reference from payment where reference = $1 union all select reference from ledger_movement where reference = $1',
    [reference],
  )
}

describe('400 VALIDATION_ERROR', () => {
  const whole = 'amount is an integer in kobo: ₦1,500.00 is 150000'
  const form = 'must begin with a letter or digit and hold only letters, digits and . _ : = -'
  const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`key${index}`, 'v']))
  it.each([
    ['amount', 0, 'amount must be at least 1'],
    ['amount', -5, 'amount must be at least 1'],
    ['amount', 1500.5, whole],
    ['amount', '150000', whole],
    ['amount', null, whole],
    ['amount', true, whole],
    ['amount', 2 ** 53, 'amount must be at most 9007199254740991'],
    ['amount', 1e300, 'amount must be at most 9007199254740991'],
    ['amount', undefined, 'amount is required'],
    ['reference', undefined, 'reference is required'],
    ['reference', 12, 'reference must be a string'],
    ['reference', '', 'reference must not be empty'],
    ['reference', 'a'.repeat(101), 'reference must have at most 100 characters'],
    ['reference', '-a', `reference ${form}`],
    ['reference', 'a b', `reference ${form}`],
    ['reference', 'a/b', `reference ${form}`],
    ['reference', 'é', `reference ${form}`],
    ['reference', 'a\n', `reference ${form}`],
    ['bankSlug', undefined, 'bankSlug is required'],
    ['bankSlug', '', 'bankSlug must not be empty'],
    ['bankSlug', 58, 'bankSlug must be a string'],
    [
      'accountNumber',
      123_456_789,
      'accountNumber must be a string of 10 digits: as a number it would lose its leading zeros',
    ],
    ['accountNumber', '123456789', 'accountNumber must be the 10 digits of the account number, leading zeros included'],
    [
      'accountNumber',
      '01234567890',
      'accountNumber must be the 10 digits of the account number, leading zeros included',
    ],
    [
      'accountNumber',
      '012345678９',
      'accountNumber must be the 10 digits of the account number, leading zeros included',
    ],
    ['accountNumber', undefined, 'accountNumber is required'],
    ['accountName', undefined, 'accountName is required'],
    ['accountName', '', 'accountName must not be empty'],
    ['accountName', 'A'.repeat(101), 'accountName must have at most 100 characters'],
    ['narration', 'n'.repeat(101), 'narration must have at most 100 characters'],
    ['narration', 5, 'narration must be a string'],
    ['currency', 'USD', 'currency must be NGN'],
    ['currency', 'ngn', 'currency must be NGN'],
    ['metadata', 'orderId', 'metadata must be an object of texts'],
    ['metadata', ['a'], 'metadata must be an object of texts'],
    ['metadata', tooMany, 'metadata must have at most 20 keys'],
  ])('%s %j', async (field, value, message) => {
    const body = transferBody({ [field]: value })
    const answer = await service.staging.post(path, body)
    expectError(answer, 400, 'VALIDATION_ERROR', message)
    expect(detailsOf(answer)?.[0]).toMatchObject({ field, message })
    expect(new Set(detailsOf(answer)?.map((detail) => detail.field))).toEqual(new Set([field]))
    expect(await traces(body['reference'])).toEqual([])
  })

  it.each([
    [{ orderId: 881 }, 'metadata.orderId', 'metadata.orderId must be a string'],
    [{ orderId: null }, 'metadata.orderId', 'metadata.orderId must be a string'],
    [{ nested: { a: 'b' } }, 'metadata.nested', 'metadata.nested must be a string'],
    [{ long: 'v'.repeat(501) }, 'metadata.long', 'metadata.long must have at most 500 characters'],
    [
      { bell: 'a\u0007' },
      'metadata.bell',
      'metadata.bell must be plain text: no marks that change the text direction, and of control characters only tabs and line breaks',
    ],
    [{ '': 'v' }, 'metadata', 'each name in metadata must not be empty'],
    [{ ['n'.repeat(101)]: 'v' }, 'metadata', 'each name in metadata must have at most 100 characters'],
    [
      { 'a\nb': 'v' },
      'metadata',
      'each name in metadata must be plain text: no line breaks, control characters or marks that change the text direction',
    ],
    [{ '\uD800': 'v' }, 'metadata', 'each name in metadata must be valid Unicode without NUL'],
  ])('metadata %j', async (metadata, field, message) => {
    const answer = await send({ metadata })
    expectError(answer, 400, 'VALIDATION_ERROR', message)
    expect(detailsOf(answer)).toMatchObject([{ field, message }])
  })

  it('names every wrong field at once', async () => {
    const answer = await service.staging.post(path, {
      reference: '',
      amount: 1.5,
      accountNumber: 7,
      accountName: '',
      currency: 'USD',
      narration: 1,
      metadata: { a: 1 },
    })
    expectError(answer, 400, 'VALIDATION_ERROR', /\(and \d more\)$/)
    const fields = detailsOf(answer)?.map(({ field }) => field) ?? []
    expect([...new Set(fields)].toSorted()).toEqual([
      'accountName',
      'accountNumber',
      'amount',
      'bankSlug',
      'currency',
      'metadata.a',
      'narration',
      'reference',
    ])
  })
})
