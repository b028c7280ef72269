import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const ask = (query: string) => service.staging.get(`/v1/fees${query}`)

describe('200', () => {
  it.each([
    [1, 1_000],
    [500_000, 1_000],
    [500_001, 2_500],
    [5_000_000, 2_500],
    [5_000_001, 5_000],
    [100_000_000_000, 5_000],
    [Number.MAX_SAFE_INTEGER - 5_000, 5_000],
  ])('%i kobo cost %i', async (amount, fee) => {
    expect(expectSuccess(await ask(`?type=transfer&amount=${amount}`))).toEqual({
      amount,
      fee,
      totalDebit: amount + fee,
    })
  })

  it('is what a transfer then costs', async () => {
    const { fee, totalDebit } = expectSuccess(await ask('?type=transfer&amount=700000'))
    const body = {
      reference: 'R1',
      amount: 700_000,
      bankSlug: 'access-bank',
      accountNumber: '0123456789',
      accountName: 'A',
    }
    expect(expectSuccess(await service.staging.post('/v1/transfers/initiate', body))).toMatchObject({ fee, totalDebit })
  })

  it('needs no rail in production', async () => {
    expect(expectSuccess(await service.production.get('/v1/fees?type=transfer&amount=1')).fee).toBe(1_000)
  })
})

describe('400', () => {
  const whole = 'amount is an integer in kobo: ₦1,500.00 is 150000'
  const most = 'amount must be at most 9007199254735991, so that amount and fee together are at most 9007199254740991'
  it.each([
    ['', 'amount', 'amount is required'],
    ['?type=transfer', 'amount', 'amount is required'],
    ['?type=transfer&amount=', 'amount', whole],
    ['?type=transfer&amount=0', 'amount', whole],
    ['?type=transfer&amount=-1', 'amount', whole],
    ['?type=transfer&amount=1.5', 'amount', whole],
    ['?type=transfer&amount=1e3', 'amount', whole],
    ['?type=transfer&amount=01', 'amount', whole],
    ['?type=transfer&amount=abc', 'amount', whole],
    ['?type=transfer&amount=99999999999999999', 'amount', whole],
    ['?type=transfer&amount=1.5&currency=XOF', 'amount', 'amount is an integer in whole XOF: XOF 1,500 is 1500'],
    ['?type=transfer&amount=9007199254740992', 'amount', 'amount must be at most 9007199254740991'],
    ['?type=transfer&amount=9007199254740991', 'amount', most],
    ['?type=transfer&amount=9007199254735992', 'amount', most],
    ['?type=transfer&amount=1&amount=2', 'amount', 'amount must be given once'],
    ['?type=deposit&amount=1', 'type', 'type must be transfer'],
    ['?amount=1', 'type', /^type /],
  ])('%s', async (query, field, message) => {
    const answer = await ask(query)
    expectError(answer, 400, 'VALIDATION_ERROR')
    const detail = answer.body.error?.details?.find((one) => one.field === field)
    expect(detail?.message).toMatch(message)
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/fees?type=transfer&amount=1', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})
