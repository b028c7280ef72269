import { describe, expect, it } from 'vitest'
import { choose, type Health, type Policy, type Wish } from '#rails/choose.ts'
import type { Route } from '#rails/rails-file.ts'

const route = (rail: string, more: Partial<Route> = {}): Route => ({ rail, weight: 1, ...more })
const wish = (more: Partial<Wish> = {}): Wish => ({ amount: 150_000n, payee: 'gtb', seed: 'one', ...more })
const byWeight: Policy = { policy: 'weight', costs: {} }
const allWell: Health = { isWell: () => true }

const pick = (routes: Route[], about: Partial<Wish> = {}, health = allWell, policy = byWeight) =>
  choose(routes, wish(about), health, policy)

describe('choosing a rail', () => {
  it.each([
    ['too small', { minAmount: 150_001 }],
    ['too large', { maxAmount: 149_999 }],
    ['for another bank', { banks: { only: ['uba'] } }],
    ['for every bank but this', { banks: { except: ['gtb'] } }],
    ['for other operators', { operators: ['mtn-momo'] }],
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
