import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService()

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

describe('400', () => {
  it.each(['0803', '8030000000', '+2348030000000', '080300000000', 'momo', ''])(
    'names the forms of a number for %j',
    async (phoneNumber) => {
      const answer = await resolve(`phoneNumber=${phoneNumber}`)
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details).toEqual([
        {
          field: 'phoneNumber',
          message: 'phoneNumber must be a phone number as 08030000000, 2348030000000 or +2348030000000',
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
