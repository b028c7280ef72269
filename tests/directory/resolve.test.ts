import { describe, expect, it } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { createResolver } from '#directory/resolve.ts'
import type { AccountResolution, Rail } from '#rails/rail.ts'
import type { RailRoute } from '#rails/rails-file.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createFakeClock } from '#tests/support/clock.ts'

const clock = createFakeClock()
const resolver = createResolver({ rails: createRailRegistry({ clock, settleMs: 1_000 }) })
const accountNumber = '0123456789'

/** A rail that never answers, and the abort signals that it got. */
function silentRail() {
  const signals: (AbortSignal | undefined)[] = []
  const never = ({ signal }: { signal?: AbortSignal | undefined }): Promise<AccountResolution> => {
    signals.push(signal)
    return new Promise(() => undefined)
  }
  const staging: Rail = { name: 'silent', bankDirectory: { resolve: never }, momoDirectory: { lookUp: never } }
  const rails = createRailRegistry({ clock, settleMs: 1_000, rails: { staging: [staging] } })
  return { signals, resolver: createResolver({ rails, timeLimitMs: 50 }) }
}

/** Resolves in production by two rails of one route, which answer `first` and `second`. */
function resolverOf(
  first: () => Promise<AccountResolution>,
  second: () => Promise<AccountResolution>,
  banks?: RailRoute['banks'],
) {
  const railOf = (name: string, answer: () => Promise<AccountResolution>): Rail => {
    return { name, bankDirectory: { resolve: answer }, momoDirectory: { lookUp: answer } }
  }
  const routes: RailRoute[] = [
    { rail: 'first', weight: 1, ...(banks && { banks }) },
    { rail: 'second', weight: 1 },
  ]
  const routing = {
    rails: { production: [railOf('first', first), railOf('second', second)] },
    routesOf: () => routes,
    policy: 'weight' as const,
    costs: {},
  }
  const rails = createRailRegistry({ clock, settleMs: 1_000, routing })
  return createResolver({ rails, timeLimitMs: 100 })
}

const unavailable = (): Promise<AccountResolution> => Promise.resolve({ kind: 'unavailable', detail: 'no answer' })
const named = (): Promise<AccountResolution> => Promise.resolve({ kind: 'resolved', accountName: 'ADA OBI' })
const absent = (): Promise<AccountResolution> => Promise.resolve({ kind: 'not-found' })
const unasked = (): Promise<AccountResolution> => Promise.reject(new Error('this rail must not be asked'))
const unanswered = (): Promise<AccountResolution> => new Promise(() => undefined)

describe('resolving by a route of several rails', () => {
  const account = { accountNumber, bankSlug: 'palmpay' }
  const phone = { phoneNumber: '+2348090000000' }

  it.each([
    ['cannot tell', unavailable],
    ['does not answer', unanswered],
  ])('asks the next rail if the first one %s', async (_, first) => {
    const both = resolverOf(first, named)
    expect(await both.account('production', account)).toMatchObject({ kind: 'resolved', accountName: 'ADA OBI' })
    expect(await both.phone('production', phone)).toMatchObject({ kind: 'resolved', accountName: 'ADA OBI' })
  })

  it('believes the first rail that knows or does not know the holder', async () => {
    expect(await resolverOf(named, unasked).account('production', account)).toMatchObject({ kind: 'resolved' })
    expect(await resolverOf(absent, unasked).account('production', account)).toMatchObject({ kind: 'not-found' })
  })

  it('says so if no rail can tell, within its time limit', async () => {
    expect(await resolverOf(unavailable, unanswered).account('production', account)).toMatchObject({
      kind: 'unavailable',
    })
  })

  it('asks no rail whose route leaves the bank out', async () => {
    const both = resolverOf(unasked, named, { except: ['palmpay'] })
    expect(await both.account('production', account)).toMatchObject({ kind: 'resolved' })
  })
})

describe('resolving an account', () => {
  it('names holder and bank, by slug, by code and by both', async () => {
    const bySlug = await resolver.account('staging', { accountNumber, bankSlug: 'guaranty-trust-bank' })
    expect(bySlug).toMatchObject({
      kind: 'resolved',
      accountNumber,
      accountName: expect.stringMatching(/^[A-Z]+( [A-Z]+)+$/),
      bank: { slug: 'guaranty-trust-bank', code: '058' },
    })
    expect(await resolver.account('staging', { accountNumber, bankCode: '058' })).toEqual(bySlug)
    expect(
      await resolver.account('staging', { accountNumber, bankSlug: 'guaranty-trust-bank', bankCode: '058' }),
    ).toEqual(bySlug)
  })

  it('refuses a bank that does not exist', async () => {
    for (const question of [{ bankSlug: 'no-such-bank' }, { bankCode: '000' }, {}]) {
      expect(await resolver.account('staging', { accountNumber, ...question })).toMatchObject({ kind: 'invalid-bank' })
    }
  })

  it('refuses slug and code of different banks, and a code that two banks share, saying what to send', async () => {
    const contradicting = await resolver.account('staging', { accountNumber, bankSlug: 'wema-bank', bankCode: '058' })
    expect(contradicting).toEqual({ kind: 'invalid-bank', message: expect.stringContaining('different banks') })
    const shared = await resolver.account('staging', { accountNumber, bankCode: '50739' })
    expect(shared).toEqual({
      kind: 'invalid-bank',
      message: expect.stringContaining('prospa-capital-microfinance-bank-ng'),
    })
    const chosen = { accountNumber, bankCode: '50739', bankSlug: 'goodnews-microfinance-bank-ng' }
    expect(await resolver.account('staging', chosen)).toMatchObject({ kind: 'resolved' })
  })

  it('tells an account that does not exist from a bank that does not answer', async () => {
    const ask = (number: string) => resolver.account('staging', { accountNumber: number, bankSlug: 'wema-bank' })
    expect(await ask('9990000007')).toMatchObject({ kind: 'not-found', bank: { slug: 'wema-bank' } })
    expect(await ask('9990000091')).toMatchObject({ kind: 'unavailable', bank: { slug: 'wema-bank' } })
  })

  it('names the missing setting in production, after the bank was judged', async () => {
    const asked = resolver.account('production', { accountNumber, bankSlug: 'wema-bank' })
    await expect(asked).rejects.toThrow(Unavailable)
    await expect(asked).rejects.toThrow(/RAILS_FILE/)
    expect(await resolver.account('production', { accountNumber, bankSlug: 'nope' })).toMatchObject({
      kind: 'invalid-bank',
    })
  })

  it('ends within its time limit and tells the rail to stop, whatever the rail does', async () => {
    const silent = silentRail()
    const answer = await silent.resolver.account('staging', { accountNumber, bankSlug: 'wema-bank' })
    expect(answer).toMatchObject({ kind: 'unavailable', detail: expect.stringContaining('50 ms') })
    expect(silent.signals.map((signal) => signal?.aborted)).toEqual([true])
  })
})

describe('resolving a phone', () => {
  it('names the holder at the operator of the prefix', async () => {
    expect(await resolver.phone('staging', { phoneNumber: '+2348090000000' })).toMatchObject({
      kind: 'resolved',
      phoneNumber: '+2348090000000',
      accountName: expect.stringMatching(/^[A-Z]+( [A-Z]+)+$/),
      operator: { slug: '9psb' },
    })
  })

  it('believes an explicit operator more than the prefix', async () => {
    const answer = await resolver.phone('staging', { phoneNumber: '+2348090000000', operatorSlug: 'mtn-momo' })
    expect(answer).toMatchObject({ kind: 'resolved', operator: { slug: 'mtn-momo' } })
  })

  it('tells a wrong operator, a number of no operator and a number without a wallet', async () => {
    const ask = (phoneNumber: string, operatorSlug?: string) => resolver.phone('staging', { phoneNumber, operatorSlug })
    expect(await ask('+2348090000000', 'opay')).toEqual({ kind: 'invalid-operator' })
    expect(await ask('+2346000000000')).toEqual({ kind: 'not-found' })
    expect(await ask('+2348000000005')).toEqual({ kind: 'not-found' })
    expect(await ask('+2348000000001')).toMatchObject({ kind: 'resolved', operator: { slug: 'mtn-momo' } })
  })

  it('names the missing setting in production', async () => {
    await expect(resolver.phone('production', { phoneNumber: '+2348090000000' })).rejects.toThrow(/RAILS_FILE/)
  })

  it('ends within its time limit', async () => {
    const silent = silentRail()
    const answer = await silent.resolver.phone('staging', { phoneNumber: '+2348090000000' })
    expect(answer).toMatchObject({ kind: 'unavailable', operator: { slug: '9psb' } })
    expect(silent.signals.map((signal) => signal?.aborted)).toEqual([true])
  })
})
