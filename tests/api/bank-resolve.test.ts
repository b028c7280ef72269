import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()

const ask = (query: string, client = service.staging): Promise<Answer> => client.get(`/v1/bank/resolve${query}`)
const fieldsOf = (answer: Answer): string[] => answer.body.error?.details?.map(({ field }) => field) ?? []

describe('200', () => {
  it('names the holder, by slug and by code, the same each time', async () => {
    const data = expectSuccess(await ask('?accountNumber=0123456789&bankSlug=guaranty-trust-bank'))
    expect(data).toEqual({
      accountNumber: '0123456789',
      accountName: expect.stringMatching(/^[A-Z]+( [A-Z]+)+$/),
      bankSlug: 'guaranty-trust-bank',
      bankName: 'Guaranty Trust Bank',
      bankCode: '058',
    })
    expect(expectSuccess(await ask('?accountNumber=0123456789&bankCode=058'))).toEqual(data)
    expect(
      expectSuccess(await ask('?bankCode=058&bankSlug=guaranty-trust-bank&accountNumber=0123456789&other=1')),
    ).toEqual(data)
  })
})

describe('400', () => {
  it.each(['', '012345678', '01234567890', '012345678x', ' 123456789', '-123456789', '1e9', '٠١٢٣٤٥٦٧٨٩'])(
    'VALIDATION_ERROR: %j is not an account number',
    async (accountNumber) => {
      const answer = await ask(`?accountNumber=${encodeURIComponent(accountNumber)}&bankSlug=wema-bank`)
      expectError(answer, 400, 'VALIDATION_ERROR', /10 digits/)
      expect(fieldsOf(answer)).toEqual(['accountNumber'])
    },
  )

  it('VALIDATION_ERROR: names everything that is missing or given twice, at once', async () => {
    const nothing = await ask('')
    expectError(nothing, 400, 'VALIDATION_ERROR')
    expect(nothing.body.error?.details).toMatchObject([
      { field: 'accountNumber', message: 'accountNumber is required' },
      { field: 'bankSlug', message: 'bankSlug is required (or bankCode)', code: 'required' },
    ])
    const noBank = await ask('?accountNumber=0123456789')
    expectError(noBank, 400, 'VALIDATION_ERROR', /^bankSlug is required \(or bankCode\)$/)
    const twice = await ask('?accountNumber=0123456789&accountNumber=0123456788&bankSlug=a&bankSlug=b')
    expectError(twice, 400, 'VALIDATION_ERROR')
    expect(fieldsOf(twice)).toEqual(['accountNumber', 'bankSlug'])
    expectError(await ask('?accountNumber=0123456789&bankSlug='), 400, 'VALIDATION_ERROR')
  })

  it.each([
    ['bankSlug=no-such-bank', 'bankSlug'],
    ['bankCode=000', 'bankCode'],
    ['bankCode=50739', 'bankCode'],
    ['bankSlug=wema-bank&bankCode=058', 'bankSlug'],
  ])('INVALID_BANK: %s names no one bank', async (bank, field) => {
    const answer = await ask(`?accountNumber=0123456789&${bank}`)
    expectError(answer, 400, 'INVALID_BANK', /bank/i)
    expect(fieldsOf(answer)).toEqual([field])
  })

  it('ACCOUNT_NOT_RESOLVED: the bank has no such account', async () => {
    const answer = await ask('?accountNumber=9990000007&bankSlug=wema-bank')
    expectError(answer, 400, 'ACCOUNT_NOT_RESOLVED', /^Wema Bank has no such account/)
    expect(fieldsOf(answer)).toEqual(['accountNumber'])
  })
})

describe('401', () => {
  it('refuses without a key, before it looks at the parameters', async () => {
    expectError(
      await service.staging.call('/v1/bank/resolve', { headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
      /^Session not found/,
    )
  })
})

describe('503', () => {
  it('says that the bank does not answer, and when to try again', async () => {
    const answer = await ask('?accountNumber=9990000091&bankSlug=wema-bank')
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /^Wema Bank does not respond/)
    expect(answer.headers['retry-after']).toBe('5')
  })

  it('names the missing setting in production, for a well-formed question about a real bank', async () => {
    const answer = await ask('?accountNumber=0123456789&bankSlug=wema-bank', service.production)
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
    expect(answer.headers['retry-after']).toBe('60')
    expectError(await ask('?accountNumber=1&bankSlug=wema-bank', service.production), 400, 'VALIDATION_ERROR')
    expectError(await ask('?accountNumber=0123456789&bankSlug=nope', service.production), 400, 'INVALID_BANK')
  })
})
