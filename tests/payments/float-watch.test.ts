// The cached balances of rails: the service asks rarely, and no payment waits longer for an answer than it can.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toMoney, type Currency } from '#platform/money.ts'
import { type FloatWatch, watchFloats } from '#payments/execution/failover.ts'
import type { Float } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'

type Balance = Awaited<ReturnType<Float['balance']>>

const holds = (amount: number): Balance => ({
  kind: 'known',
  wallets: [{ currency: 'NGN', amount: toMoney(amount) }],
})
const names = ['a', 'b']
let clock: FakeClock
let floats: FloatWatch
let asked: string[]
let says: (rail: string) => Promise<Balance>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock = createFakeClock()
  asked = []
  says = async () => holds(1_000)
  const float = (rail: string): Float => ({ balance: () => (asked.push(rail), says(rail)) })
  const production = [...names.map((name) => ({ name, float: float(name) })), { name: 'silent' }]
  floats = watchFloats(clock, createRailRegistry({ clock, settleMs: 0, rails: { production } }))
})
afterEach(() => vi.useRealTimers())

const covers = (amount: bigint, rail = 'a'): Promise<boolean> =>
  floats.covers('production', rail, { amount, currency: 'NGN', country: 'NG' })

/** Returns whether a payout may go after waiting this long for a rail that then reports an empty balance. */
async function coversAfter(waitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<Balance>()
  says = () => late.promise
  const covering = covers(1n)
  await vi.advanceTimersByTimeAsync(waitMs)
  late.resolve(holds(0))
  return covering
}

describe('a rail', () => {
  it('covers what it holds, and not a kobo more', async () => {
    expect([await covers(999n), await covers(1_000n), await covers(1_001n)]).toEqual([true, true, false])
  })

  it('covers a payment from the wallet of its country, and from no other', async () => {
    says = async () => ({
      kind: 'known',
      wallets: [
        { currency: 'XOF', country: 'SN', amount: toMoney(9) },
        { currency: 'XOF', country: 'CI', amount: toMoney(100) },
        { currency: 'GHS', amount: toMoney(50) },
      ],
    })
    const from = (currency: Currency, country: string, amount: bigint) =>
      floats.covers('production', 'a', { amount, currency, country })
    expect([await from('XOF', 'CI', 100n), await from('XOF', 'SN', 10n)]).toEqual([true, false])
    expect([await from('GHS', 'GH', 50n), await from('GHS', 'GH', 51n)]).toEqual([true, false])
    expect(await from('NGN', 'NG', 1n)).toBe(false)
  })

  it('with an unknown balance is tried', async () => {
    expect(await covers(5_000n, 'silent')).toBe(true)
    says = async () => ({ kind: 'unavailable', detail: 'not now' })
    expect(await covers(5_000n, 'a')).toBe(true)
    says = () => Promise.reject(new Error('a bug of the rail'))
    expect(await covers(5_000n, 'b')).toBe(true)
  })

  it('is waited for five seconds, and tried when it has not answered by then', async () => {
    expect(await coversAfter(4_999)).toBe(false)
    clock.advance(10_000)
    expect(await coversAfter(5_000)).toBe(true)
  })
})

describe('the balance of a rail', () => {
  it('is asked for once in ten seconds, also by many at once', async () => {
    await Promise.all([covers(1n), covers(2_000n)])
    clock.advance(9_999)
    says = async () => holds(3_000)
    expect([await covers(2_000n), asked]).toEqual([false, ['a']])
    clock.advance(1)
    expect([await covers(2_000n), asked]).toEqual([true, ['a', 'a']])
  })

  it('is forgotten after ten seconds also if the clock was set back meanwhile', async () => {
    expect(await covers(1_000n)).toBe(true)
    clock.set(-3_600_000)
    clock.advance(10_000)
    says = async () => holds(0)
    expect(await covers(1_000n)).toBe(false)
  })

  it('says nothing of another', async () => {
    says = async (rail) => holds(rail === 'a' ? 1_000 : 2_000)
    expect([await covers(2_000n, 'a'), await covers(2_000n, 'b')]).toEqual([false, true])
    expect(asked).toEqual(names)
  })
})
