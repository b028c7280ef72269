import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { agreedCostOf, chooseRail, chooseNext, type RailHealth, type Policy, type RailWish } from '#rails/choose.ts'
import { parseRailsFile, type RailRoute } from '#rails/rails-file.ts'

const route = (rail: string, more: Partial<RailRoute> = {}): RailRoute => ({ rail, weight: 1, ...more })
const wish = (more: Partial<RailWish> = {}): RailWish => ({
  amount: 150_000n,
  currency: 'NGN',
  country: 'NG',
  payee: 'gtb',
  seed: 'one',
  ...more,
})
const byWeight: Policy = { policy: 'weight', costs: {} }
const allWell: RailHealth = { isWell: () => true }

const pick = (routes: RailRoute[], about: Partial<RailWish> = {}, health = allWell, policy = byWeight) =>
  chooseRail(routes, wish(about), health, policy)

describe('choosing a rail', () => {
  it.each([
    ['too small', { minAmount: 150_001 }],
    ['too large', { maxAmount: 149_999 }],
    ['for another bank', { banks: { only: ['uba'] } }],
    ['for every bank but this', { banks: { except: ['gtb'] } }],
    ['for other operators', { operators: ['mtn-momo'] }],
    ['for other countries', { countries: ['CI', 'SN'] }],
  ])('takes no route that is %s', (_, more) => {
    expect(pick([route('a', more), route('b')])).toEqual({ kind: 'chosen', rail: 'b' })
    expect(pick([route('a', more)])).toMatchObject({ kind: 'unserved' })
  })

  it('takes amounts at both ends of a route', () => {
    expect(pick([route('a', { minAmount: 150_000, maxAmount: 150_000 })])).toEqual({ kind: 'chosen', rail: 'a' })
  })

  it('says what no route serves', () => {
    expect(pick([route('a', { maxAmount: 1 })])).toEqual({ kind: 'unserved', what: 'amount' })
    expect(pick([route('a', { banks: { only: ['uba'] } })])).toEqual({ kind: 'unserved', what: 'payee' })
  })

  it('goes around a rail that is ill, and waits for the first one when all are', () => {
    expect(pick([route('a'), route('b')], {}, { isWell: (rail) => rail !== 'a' })).toEqual({
      kind: 'chosen',
      rail: 'b',
    })
    expect(pick([route('a'), route('b')], {}, { isWell: () => false })).toEqual({ kind: 'chosen', rail: 'a' })
  })

  it('spreads payments by weight, and the same payment goes the same way each time', () => {
    const routes = [route('a', { weight: 70 }), route('b', { weight: 30 })]
    const picked = Array.from({ length: 2_000 }, (_, index) => {
      const first = pick(routes, { seed: `payment ${index}` })
      expect(pick(routes, { seed: `payment ${index}` })).toEqual(first)
      return first.kind === 'chosen' ? first.rail : ''
    })
    const share = picked.filter((rail) => rail === 'a').length / picked.length
    expect(share).toBeGreaterThan(0.66)
    expect(share).toBeLessThan(0.74)
  })

  it('takes the cheapest for the amount, by policy', () => {
    const costs = {
      flat: [{ upTo: null, fee: 2_000 }],
      steps: [
        { upTo: 500_000, fee: 1_000 },
        { upTo: null, fee: 5_000 },
      ],
    }
    const routes = [route('flat', { cost: 'flat' }), route('steps', { cost: 'steps' }), route('unknown')]
    const cheap = { policy: 'cost' as const, costs }
    expect(pick(routes, { amount: 500_000n }, allWell, cheap)).toEqual({ kind: 'chosen', rail: 'steps' })
    expect(pick(routes, { amount: 500_001n }, allWell, cheap)).toEqual({ kind: 'chosen', rail: 'flat' })
  })
})

describe('the agreed cost', () => {
  const rails = { p: { kind: 'paystack', environment: 'production', secretKey: 'sk_live_x' } }
  const costs = { low: [{ upTo: null, fee: 1_000 }], high: [{ upTo: null, fee: 5_000 }] }
  const agreedWith = (payout: object[], momoPayout?: object[]) =>
    agreedCostOf(
      parseRailsFile(JSON.stringify({ rails, routes: { production: { NGN: { payout, momoPayout } } }, costs }), {}),
    )

  it('is that of the route that serves the amount in the currency', () => {
    const agreed = agreedWith([
      { rail: 'p', maxAmount: 10_000, cost: 'low' },
      { rail: 'p', minAmount: 10_001, cost: 'high' },
    ])
    expect(agreed('p', toMoney(10_000), 'NGN')).toBe(1_000n)
    expect(agreed('p', toMoney(10_001), 'NGN')).toBe(5_000n)
    expect(agreed('p', toMoney(10_000), 'GHS')).toBeUndefined()
    expect(agreed('other', toMoney(10_000), 'NGN')).toBeUndefined()
  })

  it('is not known where routes disagree', () => {
    const agreed = agreedWith([{ rail: 'p', cost: 'low' }], [{ rail: 'p', cost: 'high' }])
    expect(agreed('p', toMoney(10_000), 'NGN')).toBeUndefined()
  })
})

describe('choosing the next rail', () => {
  const names = ['a', 'b', 'c', 'd'] as const
  const anyRoute = fc.record({
    rail: fc.constantFrom(...names),
    weight: fc.constantFrom(0, 1, 5),
    minAmount: fc.constantFrom(0, 150_001),
    maxAmount: fc.constantFrom(149_999, 9_000_000),
    banks: fc.constantFrom<NonNullable<RailRoute['banks']>>(
      { only: ['gtb'] },
      { only: ['uba'] },
      { except: ['gtb'] },
      { except: ['uba'] },
    ),
    cost: fc.constantFrom('cheap', 'dear'),
  })
  const costs = { cheap: [{ upTo: null, fee: 1_000 }], dear: [{ upTo: null, fee: 5_000 }] }
  const serves = ({ minAmount = 0, maxAmount = 0, banks }: RailRoute): boolean =>
    minAmount <= 150_000 &&
    150_000 <= maxAmount &&
    (banks === undefined || ('only' in banks ? banks.only.includes('gtb') : !banks.except.includes('gtb')))

  it('takes one that was not tried, fits and is well, as long as there is one; always the same', () => {
    const some = fc.subarray([...names])
    fc.assert(
      fc.property(
        fc.array(anyRoute, { maxLength: 6 }),
        some,
        some,
        fc.constantFrom('cost' as const, 'weight' as const),
        fc.string(),
        (routes, left, ill, policy, seed) => {
          const next = () =>
            chooseNext(
              routes,
              wish({ seed }),
              new Set(left),
              { isWell: (rail) => !ill.includes(rail as 'a') },
              { policy, costs },
            )
          const open = routes.filter((one) => serves(one) && !left.includes(one.rail) && !ill.includes(one.rail))
          const found = next()
          expect(found).toEqual(next())
          expect(found === undefined).toBe(open.length === 0)
          const chosen = open.filter(({ rail }) => rail === found?.rail)
          if (found === undefined) return
          expect(chosen).not.toEqual([])
          const fees = chosen.map(({ cost }) => (cost === 'cheap' ? 151_000n : 155_000n))
          expect(fees).toContain(found.needs)
          const mustBeCheap = policy === 'cost' && open.some(({ cost }) => cost === 'cheap')
          expect(mustBeCheap && found.needs !== 151_000n).toBe(false)
        },
      ),
    )
  })

  it('asks of a rail without a table of costs that it holds the amount', () => {
    expect(chooseNext([route('a')], wish(), new Set(), allWell, byWeight)).toEqual({ rail: 'a', needs: 150_000n })
  })

  it('keeps a route without weight in reserve', () => {
    const routes = [route('a'), route('spare', { weight: 0 })]
    expect(chooseNext(routes, wish(), new Set(['a']), allWell, byWeight)?.rail).toBe('spare')
  })
})
