// Queries about an account at pawaPay that move no money.

import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { findOperator } from '#directory/operators.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { useFake } from './provider.ts'

const clock = createFakeClock()
const fake = await startFakePawapay(clock)
const { net } = useFake(fake, clock)
const options = { name: 'pawapay', apiToken: pawapayToken, callbacks: 'signed' as const, baseUrl: fake.url, net, clock }
const { account, float, readOffers } = createPawapay(options)
const operatorOf = (slug: string) => present(findOperator(slug), `there is an operator ${slug}`)
const check = async (name: string, slugs: string[], phoneNumber?: string) => {
  clock.advance(60_000)
  const checks = await account.check({ operators: slugs.map(operatorOf), phoneNumber })
  return checks.filter((one) => one.check === name)
}

describe('wallets', () => {
  it('have the money of each country in its own minor unit, in both spellings of amounts', async () => {
    expect(await float.balance()).toEqual({
      kind: 'known',
      wallets: [
        { country: 'GH', currency: 'GHS', amount: 2_179_803n },
        { country: 'UG', currency: 'UGX', amount: 5_000_000n },
        { country: 'CI', currency: 'XOF', amount: 900_000n },
        { country: 'BF', currency: 'XOF', amount: 100_000n },
      ],
    })
  })

  it('are all there when fees with fractions were taken from them, and none is known while one cannot be read', async () => {
    const before = [...fake.balances]
    const odd = (balance: string, currency = 'RWF') => ({ country: 'RWA', currency, balance, provider: '' })
    fake.balances.splice(0, before.length, odd('262417.63'), odd('-12.50', 'USD'), odd('7', 'GNF'))
    expect(await float.balance()).toEqual({
      kind: 'known',
      wallets: [
        { country: 'RW', currency: 'RWF', amount: 262_418n },
        { country: 'RW', currency: 'USD', amount: -1_250n },
      ],
    })
    fake.balances.push(odd('many'))
    expect(await float.balance()).toMatchObject({ kind: 'unavailable', detail: expect.stringContaining('RWA RWF') })
    fake.balances.splice(0, fake.balances.length, ...before)
  })

  it('are not known when our token is refused', async () => {
    const { float: stranger } = createPawapay({ ...options, apiToken: 'wrong' })
    expect(await stranger.balance()).toMatchObject({ kind: 'unavailable', why: 'misconfigured' })
  })
})

it('offers no collection at an operator whose payers approve in another way than this version knows', async () => {
  fake.account.approvals = { ORANGE_SEN: 'PREAUTH', MTN_MOMO_CIV: 'A_NEW_WORD' }
  const read = await present(readOffers, 'pawaPay tells its configuration')(['orange-sn', 'mtn-ci'].map(operatorOf))
  expect(read.kind === 'known' && read.offers.map(({ operator, port }) => `${operator} ${port}`)).toEqual([
    'orange-sn momoPayout',
    'mtn-ci momoPayout',
    'mtn-ci momoCollection',
  ])
  fake.account.approvals = {}
})

describe('checks', () => {
  it.each([true, false])('read the configuration as documented and as accounts get it (%s)', async (inOneList) => {
    fake.account.inOneList = inOneList
    const told = 'payouts 1 to 5000 GHS; collections 1 to 5000 GHS'
    expect(await check('operator mtn-gh', ['mtn-gh'])).toEqual([{ check: 'operator mtn-gh', ok: true, told }])
    expect(await check('account', [])).toMatchObject([
      { ok: true, told: expect.stringMatching(/^Demo has 13 operators in GHA/) },
    ])
    fake.account.closed = ['MTN_MOMO_GHA']
    expect(await check('availability', ['mtn-gh'])).toMatchObject([{ ok: true, told: 'MTN_MOMO_GHA PAYOUT CLOSED' }])
    expect(await check('availability', ['mtn-ug'])).toMatchObject([{ told: expect.stringMatching(/^every operator/) }])
    fake.account.closed = []
  })

  it('name operators of routes that the account or pawaPay does not have', async () => {
    expect(await check('operator orange-cm', ['orange-cm'])).toMatchObject([
      { ok: false, told: 'the account has no ORANGE_CMR in XAF' },
    ])
    expect(await check('operator moov-ci', ['moov-ci'])).toMatchObject([
      { ok: false, told: 'pawaPay does not serve it; take it out of the route' },
    ])
  })

  it('name only those operators of a route without names that the account has', async () => {
    clock.advance(60_000)
    const unnamed = ['orange-cm', 'moov-ci', 'mtn-ci', 'mtn-gh'].map(operatorOf)
    const checks = await account.check({ operators: [], unnamed })
    const ofOperators = checks.filter((one) => one.check.startsWith('operator '))
    expect(ofOperators.map((one) => [one.check, one.ok])).toEqual([
      ['operator mtn-ci', true],
      ['operator mtn-gh', true],
    ])
  })

  it('say that collections are not offered where payers approve on a page', async () => {
    expect(await check('operator wave-ci', ['wave-ci'])).toMatchObject([
      { ok: true, told: expect.stringMatching(/; collections are not offered: payers approve on a page$/) },
    ])
  })

  it('compare what is signed with the settings of the account', async () => {
    fake.account.signatures = { signedRequestsOnly: true }
    expect(await check('signatures', [])).toMatchObject([{ ok: false, told: expect.stringMatching(/set "signing"$/) }])
    fake.account.signatures = { signedCallbacks: false }
    expect(await check('signatures', [])).toMatchObject([{ ok: false, told: expect.stringMatching(/"unsigned"$/) }])
    fake.account.signatures = {}
    expect(await check('signatures', [])).toMatchObject([{ ok: true }])
  })

  it('guess the operator of a number', async () => {
    const name = 'operator of the number'
    expect(await check(name, [], '+256772000000')).toMatchObject([{ ok: true, told: 'probably MTN_MOMO_UGA in UGA' }])
    expect(await check(name, [], '+4915112345678')).toMatchObject([
      { ok: false, told: expect.stringMatching(/INVALID_PARAMETER/) },
    ])
  })

  it('fail one by one when pawaPay does not answer', async () => {
    fake.meet(/active-conf/, 'maintenance-page')
    fake.meet(/availability/, 'half')
    fake.meet(/public-key/, 'cut-before')
    const checks = await account.check({ operators: [operatorOf('mtn-gh')] })
    expect(checks.map(({ check: name, ok }) => [name, ok])).toEqual([
      ['account', false],
      ['availability', false],
      ['callback keys', false],
    ])
  })
})
