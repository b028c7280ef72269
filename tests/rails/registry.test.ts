import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import type { Environment } from '#platform/context.ts'
import { bankPayee, type RailPayee } from '#rails/choose.ts'
import type { RailRoute } from '#rails/rails-file.ts'
import { Unavailable } from '#platform/errors.ts'
import { newUuid } from '#platform/ids.ts'
import { railReferenceOf } from '#rails/formats.ts'
import type { MomoPayout, Rail } from '#rails/rail.ts'
import { createRailRegistry, requirePort, type RailRegistry } from '#rails/registry.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createOrderMaker, handsetOperator } from './orders.ts'

const clock = createFakeClock()
const registry = createRailRegistry({ clock, settleMs: 1_000 })
type Others =
  | 'namesOf'
  | 'breakers'
  | 'probe'
  | 'tellsOfPayments'
  | 'forgiveRefusals'
  | 'avoid'
  | 'statement'
  | 'next'
  | 'carriedBy'
  | 'offersSources'
const {
  namesOf: _1,
  breakers: _2,
  tellsOfPayments: _3,
  forgiveRefusals: _4,
  statement: _5,
  avoid: _6,
  next: _7,
  probe: _8,
  carriedBy: _9,
  offersSources: _10,
  ...questions
} = registry
// The simulator lists nothing, because its money is not real.
const ports = Object.keys(questions) as Exclude<keyof RailRegistry, Others>[]

const missing = { kind: 'missing', why: 'no rail is configured. Missing setting: RAILS_FILE' }
const registryOf = (...production: Rail[]) => createRailRegistry({ clock, settleMs: 1_000, rails: { production } })
const simulatedPayout = (settleMs: number) => createSimulator({ clock, settleMs }).payout

describe('rail registry', () => {
  it('knows nine ports', () => {
    expect(ports.toSorted()).toEqual([
      'bankDirectory',
      'float',
      'inbound',
      'momoCollection',
      'momoDirectory',
      'momoPayout',
      'payout',
      'refunds',
      'virtualAccounts',
    ])
  })

  it.each(ports)('serves %s on staging, and in production names the setting that is missing', (port) => {
    expect(registry[port]('staging').kind).toBe('served')
    expect(registry[port]('production')).toEqual({
      kind: 'missing',
      why: 'no rail is configured. Missing setting: RAILS_FILE',
    })
  })

  it('serves the port that it was given, and does not fill the gaps of one rail with those of staging', () => {
    const mixed = registryOf({ name: 'half', payout: simulatedPayout(5) })
    expect(mixed.payout('production')).toMatchObject({ kind: 'served', rail: 'half', port: { submitLeaseMs: 5 } })
    expect(mixed.bankDirectory('production')).toEqual(missing)
    expect(mixed.bankDirectory('staging').kind).toBe('served')
  })

  it('gives new orders to the first rail that has the port, and finds the others by name', () => {
    const wallets = { name: 'wallets', momoPayout: createSimulator({ clock, settleMs: 7 }).momoPayout }
    const several = registryOf(
      wallets,
      { name: 'new', payout: simulatedPayout(5) },
      { name: 'old', payout: simulatedPayout(6) },
    )
    expect(several.payout('production')).toMatchObject({ rail: 'new', port: { submitLeaseMs: 5 } })
    expect(several.momoPayout('production')).toMatchObject({ rail: 'wallets' })
    expect(several.payout('production', { rail: 'old' })).toMatchObject({ rail: 'old', port: { submitLeaseMs: 6 } })
    expect(several.namesOf('production')).toEqual(['wallets', 'new', 'old'])
  })

  it('never serves another rail in place of the one that is named', () => {
    const several = registryOf({ name: 'new', payout: simulatedPayout(5) }, { name: 'empty' })
    expect(several.payout('production', { rail: 'gone' })).toEqual(missing)
    expect(several.payout('production', { rail: 'empty' })).toEqual(missing)
    expect(several.payout('production', { rail: 'simulator' })).toEqual(missing)
    expect(several.payout('staging', { rail: 'new' })).toMatchObject({ kind: 'missing' })
  })

  it.each([
    ['of one environment', [{ name: 'same' }, { name: 'same' }]],
    ['of both environments', [{ name: 'simulator' }]],
  ])('refuses two rails of one name: %s', (_where, rails: Rail[]) => {
    expect(() => registryOf(...rails)).toThrow(/one rail with the name/)
  })

  it('gives the port, or a 503 with a sentence that names the setting', () => {
    expect(requirePort(registry.payout('staging'), 'Bank transfers').submitLeaseMs).toBe(1_000)
    const asked = (): unknown => requirePort(registry.payout('production'), 'Bank transfers')
    expect(asked).toThrow(Unavailable)
    expect(asked).toThrow(/^Bank transfers .*RAILS_FILE\.$/)
  })
})

describe('rail references', () => {
  it('have the form that every provider accepts: a lower-case UUID of version 4', () => {
    for (let count = 0; count < 1_000; count++) {
      const reference = railReferenceOf(newUuid(clock.now()))
      expect(reference).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it('are the same for the same payment, in every release', () => {
    const id = '019b0000-0000-7000-8000-000000000001' as Parameters<typeof railReferenceOf>[0]
    expect(railReferenceOf(id)).toBe('ca13e378-d30f-4aeb-a54a-81ad60fa66f7')
  })

  it('differ from payment to payment', () => {
    const references = Array.from({ length: 10_000 }, () => railReferenceOf(newUuid(clock.now())))
    expect(new Set(references).size).toBe(10_000)
  })
})

describe('routes', () => {
  const rail = (name: string): Rail => ({ name, payout: simulatedPayout(5) })
  const routed = (routes: RailRoute[], environment: Environment = 'production') =>
    createRailRegistry({
      clock,
      settleMs: 1_000,
      routing: {
        rails: { [environment]: [rail('a'), rail('b')] },
        policy: 'weight',
        costs: {},
        routesOf: (asked, currency, port) =>
          currency === 'NGN' && asked === environment && port === 'payout' ? routes : [],
      },
    })
  const wish = { ...bankPayee('gtb'), amount: 150_000n, seed: 'one' }
  const small = { rail: 'a', weight: 1, maxAmount: 100_000 }

  it('send new payouts by amount and payee, and name a payout that no rail serves', () => {
    const routing = routed([small, { rail: 'b', weight: 1, banks: { only: ['gtb'] } }])
    expect(routing.payout('production', { wish })).toMatchObject({ rail: 'b' })
    expect(routing.payout('production', { wish: { ...wish, payee: 'uba', amount: 1n } })).toMatchObject({ rail: 'a' })
    const unserved = routed([small]).payout('production', { wish })
    expect(unserved).toEqual({ kind: 'missing', why: 'no route serves this amount' })
  })

  it('lead around a rail that is stopped, while there is another', () => {
    const both = [
      { rail: 'a', weight: 1 },
      { rail: 'b', weight: 0 },
    ]
    const routing = routed(both)
    expect(routing.payout('production', { wish })).toMatchObject({ rail: 'a' })
    routing.avoid(new Set(['a']))
    expect(routing.payout('production', { wish })).toMatchObject({ rail: 'b' })
    routing.avoid(new Set(['a', 'b']))
    expect(routing.payout('production', { wish })).toMatchObject({ rail: 'a' })
  })

  it('do not move what went to another rail', () => {
    expect(routed([small]).payout('production', { rail: 'b' })).toMatchObject({ rail: 'b' })
  })

  it('replace the simulator on staging port by port', () => {
    const routing = routed([{ rail: 'a', weight: 1 }], 'staging')
    expect(routing.payout('staging', { wish })).toMatchObject({ rail: 'a' })
    expect(routing.momoPayout('staging', { wish })).toMatchObject({ rail: 'simulator' })
    expect(routing.payout('staging', { rail: 'simulator' })).toMatchObject({ rail: 'simulator' })
  })

  it('send accounts by their kind, and do not move accounts that are open elsewhere', () => {
    const { virtualAccounts } = createSimulator({ clock, settleMs: 1_000 })
    const routing = createRailRegistry({
      clock,
      settleMs: 1_000,
      routing: {
        rails: { production: ['a', 'b'].map((name) => ({ name, virtualAccounts })) },
        policy: 'weight',
        costs: {},
        routesOf: (_environment, _currency, port) =>
          port === 'virtualAccounts.dynamic' ? [{ rail: 'b', weight: 1 }] : [{ rail: 'a', weight: 1 }],
      },
    })
    expect(routing.virtualAccounts('production', { accounts: 'static' })).toMatchObject({ rail: 'a' })
    expect(routing.virtualAccounts('production', { accounts: 'dynamic' })).toMatchObject({ rail: 'b' })
    expect(routing.virtualAccounts('production', { rail: 'b' })).toMatchObject({ rail: 'b' })
  })

  it('go around a rail whose port fails, and back when it is well again', async () => {
    const failing: Rail = {
      name: 'a',
      payout: {
        ...simulatedPayout(5),
        submit: () => Promise.resolve({ kind: 'unknown', detail: 'down', sent: false }),
      },
      float: { balance: () => Promise.resolve({ kind: 'known', wallets: [{ currency: 'NGN', amount: toMoney(1n) }] }) },
    }
    const routing = createRailRegistry({
      clock,
      settleMs: 1_000,
      routing: {
        rails: { production: [failing, rail('b')] },
        policy: 'weight',
        costs: {},
        routesOf: () => [
          { rail: 'a', weight: 1 },
          { rail: 'b', weight: 0 },
        ],
      },
    })
    const first = routing.payout('production', { wish })
    const order = createOrderMaker(clock).payout('0123456789')
    for (let count = 0; count < 5; count++)
      expect(first.kind === 'served' && (await first.port.submit(order))).toMatchObject({ kind: 'unknown' })
    expect(routing.breakers()).toMatchObject([
      { rail: 'a', port: 'payout', state: 'open', opening: { cause: 'failing' } },
      {},
    ])
    expect(routing.payout('production', { wish })).toMatchObject({ rail: 'b' })
    expect(first.kind === 'served' && (await first.port.submit(order))).toMatchObject({
      sent: false,
      askAgainAfterMs: 5_000,
    })
    clock.advance(30_000)
    await routing.probe()
    expect(routing.breakers()).toContainEqual({ rail: 'a', port: 'payout', state: 'closed', opening: undefined })
    expect(routing.payout('production', { wish })).toMatchObject({ rail: 'a' })
  })
})

describe('routes of wallets', () => {
  const walletIn = (country: string, slug: string): RailPayee => ({ currency: 'XOF', country, payee: slug })
  const wallets = (serves?: (slug: string) => boolean) =>
    createRailRegistry({
      clock,
      settleMs: 1_000,
      routing: {
        rails: { production: ['a', 'b', 'c'].map((name) => ({ name, momoPayout: momoPayoutOf(name, serves) })) },
        policy: 'weight',
        costs: {},
        routesOf: (_environment, currency, port) =>
          currency === 'XOF' && port === 'momoPayout'
            ? [
                { rail: 'a', weight: 1, countries: ['CI'], operators: ['mtn-ci'] },
                { rail: 'b', weight: 1, countries: ['CI', 'SN'] },
                { rail: 'c', weight: 0, countries: ['CI', 'SN'] },
              ]
            : [],
      },
    })
  const { momoPayout: simulated } = createSimulator({ clock, settleMs: 1_000 })
  const operatorOf = (slug: string) => ({ ...handsetOperator, slug })
  const momoPayoutOf = (name: string, serves: (slug: string) => boolean = () => true): MomoPayout => ({
    ...simulated,
    serves: ({ slug }) => name !== 'b' || serves(slug),
  })

  it('send wallets by currency, country and operator, and name the missing one', () => {
    const routing = wallets()
    const served = (payee: RailPayee) => routing.momoPayout('production', { payee })
    expect(served(walletIn('CI', 'mtn-ci'))).toMatchObject({ rail: 'a' })
    expect(served(walletIn('CI', 'orange-ci'))).toMatchObject({ rail: 'b' })
    expect(served(walletIn('SN', 'orange-sn'))).toMatchObject({ rail: 'b' })
    expect(served(walletIn('BJ', 'mtn-bj'))).toMatchObject({ why: 'no route serves this bank or operator' })
    expect(served({ ...walletIn('GH', 'mtn-gh'), currency: 'GHS' })).toEqual({
      kind: 'missing',
      why: 'no rail serves momoPayout in GHS. Missing in RAILS_FILE: routes.production.GHS.momoPayout',
    })
  })

  it('pass over a rail whose provider does not have the operator, also after the first choice', () => {
    const routing = wallets((slug) => slug !== 'free-sn')
    const operator = operatorOf('free-sn')
    const to = { ...walletIn('SN', 'free-sn'), operator, amount: 100n, seed: 'one' }
    expect(routing.momoPayout('production', { wish: to })).toMatchObject({ rail: 'c' })
    expect(routing.next('momoPayout', 'production', { wish: to, left: new Set(['c']) })).toBeUndefined()
    const other = { ...to, payee: 'orange-sn', operator: operatorOf('orange-sn') }
    expect(routing.next('momoPayout', 'production', { wish: other, left: new Set(['c']) })).toMatchObject({ rail: 'b' })
  })
})
