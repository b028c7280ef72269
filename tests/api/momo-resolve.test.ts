import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()

const resolve = (query: string) => service.staging.get(`/v1/momo/resolve?${query}`)

describe('200', () => {
  it('tells whose wallet it is, in all three forms of the number alike', async () => {
    const forms = ['08030000000', '2348030000000', '%2B2348030000000']
    const answers = await Promise.all(forms.map((form) => resolve(`phoneNumber=${form}`)))
    for (const answer of answers) {
      expect(expectSuccess(answer)).toEqual({
        phoneNumber: '+2348030000000',
        operator: 'mtn-momo',
        operatorName: expect.stringContaining('MTN'),
        accountName: expect.stringMatching(/^[A-Z ]{3,}$/),
        currency: 'NGN',
      })
    }
    expect(new Set(answers.map((answer) => answer.body.data.accountName)).size).toBe(1)
  })

  it('lets an explicit operator win over the prefix: numbers are ported', async () => {
    expect(expectSuccess(await resolve('phoneNumber=08030000000&operator=9psb'))).toMatchObject({ operator: '9psb' })
  })
})

describe('200, in other countries', () => {
  it.each([
    ['phoneNumber=%2B233240000001', '+233240000001', 'mtn-gh', 'GHS'],
    ['phoneNumber=0240000001&country=GH', '+233240000001', 'mtn-gh', 'GHS'],
    ['phoneNumber=0712345678&country=KE', '+254712345678', 'mpesa-ke', 'KES'],
    ['phoneNumber=%2B2250700000001&operator=wave-ci', '+2250700000001', 'wave-ci', 'XOF'],
  ])('%s', async (query, phoneNumber, operator, currency) => {
    expect(expectSuccess(await resolve(query))).toMatchObject({ phoneNumber, operator, currency })
  })
})

describe('400', () => {
  it('wants a number of the country', async () => {
    const answer = await resolve('phoneNumber=08030000000&country=GH')
    expectError(answer, 400, 'VALIDATION_ERROR', 'phoneNumber must be a phone number of GH')
  })

  it('does not ask an operator for a number of another country', async () => {
    const answer = await resolve('phoneNumber=08030000000&operator=mtn-gh')
    expectError(answer, 400, 'INVALID_OPERATOR', /\+233/)
  })

  it.each(['+233240000005', '+254712345005'])('does not resolve the simulator’s %s', async (phoneNumber) => {
    const answer = await resolve(`phoneNumber=${encodeURIComponent(phoneNumber)}`)
    expectError(answer, 400, 'PHONE_NOT_RESOLVED')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['phoneNumber'])
  })

  it('says how to write the + of a number', async () => {
    const answer = await resolve('phoneNumber=+2348030000000')
    expectError(answer, 400, 'VALIDATION_ERROR', 'phoneNumber has a space in place of +: in a query, write + as %2B')
  })

  it.each(['0803', '8030000000', '080300000000', 'momo', ''])(
    'names the forms of a number for %j',
    async (phoneNumber) => {
      const answer = await resolve(`phoneNumber=${phoneNumber}`)
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details).toMatchObject([
        {
          field: 'phoneNumber',
          message:
            'phoneNumber must be a phone number such as 08030000000, 2348030000000 or +2348030000000; for other countries such as +233240000000',
        },
      ])
    },
  )

  it('wants a number', async () => {
    const answer = await resolve('')
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['phoneNumber'])
  })

  it('does not know an operator by that slug', async () => {
    expectError(await resolve('phoneNumber=08030000000&operator=moon'), 400, 'INVALID_OPERATOR', /moon/)
  })

  it.each(['08000000005', '08990000000'])('does not resolve %s', async (phoneNumber) => {
    expectError(await resolve(`phoneNumber=${phoneNumber}`), 400, 'PHONE_NOT_RESOLVED')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/momo/resolve', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED')
  })
})

describe('503', () => {
  it('names the missing rail in production, and when to come again', async () => {
    const answer = await service.production.get('/v1/momo/resolve?phoneNumber=08030000000')
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})
