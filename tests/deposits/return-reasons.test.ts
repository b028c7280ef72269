// The verdict about a payment follows one table for any account, amount and moment.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { toMoney, type Money } from '#platform/money.ts'
import { amountPolicies, type VirtualAccount } from '#virtual-accounts/account.ts'
import { judgeDeposit, type DepositVerdict } from '#deposits/deposit.ts'

const openedMs = Date.parse('2026-01-15T09:30:00.000Z')
const tenantId = newUuid(openedMs)
const about = {
  lane: 1,
  tenantId,
  id: newUuid(openedMs),
  reference: null,
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  bankName: 'Wema Bank',
  bankSlug: 'wema-bank',
  currency: 'NGN' as const,
  rail: 'acme',
  handle: null,
  narration: null,
  metadata: null,
  openedAt: new Date(openedMs),
  createdAt: new Date(openedMs),
}

type Order = NonNullable<VirtualAccount['order']>

function fixed(status: 'ACTIVE' | 'CLOSED', closedMs = openedMs): VirtualAccount {
  const customer = { id: newUuid(openedMs), reference: 'ada' }
  return { ...about, type: 'static', status, order: null, customer, updatedAt: new Date(closedMs) }
}

function waiting(status: 'ACTIVE' | 'COMPLETED' | 'EXPIRED', order: Order): VirtualAccount {
  return { ...about, type: 'dynamic', status, order, customer: null, updatedAt: order.expiresAt }
}

const taken: DepositVerdict = { kind: 'accepted', completes: false }
const completed: DepositVerdict = { kind: 'accepted', completes: true }
const returned = (reason: string): DepositVerdict => ({ kind: 'returned', reason }) as DepositVerdict

// Amounts beyond the exact integers of a double, so that a comparison of doubles would fail.
const amount = fc.bigInt({ min: 1n, max: 2n ** 60n }).map((value) => toMoney(value))
const timeMs = fc.integer({ min: openedMs - 5, max: openedMs + 5 })
const order = fc.record({
  amount,
  policy: fc.constantFrom(...amountPolicies),
  expiresAt: timeMs.map((value) => new Date(value)),
})
/** Amounts around the expected one, where the verdict changes. */
const paid = fc.oneof(fc.constantFrom(-1n, 0n, 1n), fc.bigInt({ min: -1_000n, max: 1_000n }))

function near(expected: Money, difference: bigint): Money {
  const sum = expected + difference
  return toMoney(sum < 1n ? 1n : sum)
}

describe('a static account', () => {
  it('that is open takes any amount at any time, and goes on waiting', () => {
    fc.assert(
      fc.property(amount, timeMs, (sum, paidMs) => {
        expect(judgeDeposit(fixed('ACTIVE'), sum, new Date(paidMs))).toEqual(taken)
      }),
    )
  })

  it('that was closed takes payments from before, and returns those from that millisecond on', () => {
    fc.assert(
      fc.property(amount, timeMs, timeMs, (sum, paidMs, closedMs) => {
        const verdict = judgeDeposit(fixed('CLOSED', closedMs), sum, new Date(paidMs))
        expect(verdict).toEqual(paidMs < closedMs ? taken : returned('ACCOUNT_CLOSED'))
      }),
    )
  })
})

describe('a dynamic account', () => {
  const minuteMs = 60_000
  const terms = { amount: toMoney(250_000), policy: 'exact' as const, expiresAt: new Date(openedMs + minuteMs) }

  it.each([
    ['ACTIVE', 'exact', 250_000, minuteMs - 1, completed],
    ['ACTIVE', 'exact', 249_999, minuteMs - 1, returned('UNDERPAID')],
    ['ACTIVE', 'exact', 250_001, minuteMs - 1, returned('OVERPAID')],
    ['ACTIVE', 'exact', 250_000, minuteMs, returned('EXPIRED')],
    ['ACTIVE', 'exact', 1, minuteMs, returned('EXPIRED')],
    ['ACTIVE', 'any', 1, minuteMs - 1, completed],
    ['ACTIVE', 'any', 999_999_999, minuteMs - 1, completed],
    ['ACTIVE', 'any', 250_000, minuteMs, returned('EXPIRED')],
    // The payer paid in time. The notice came after the account had expired, which is not the payer's fault.
    ['EXPIRED', 'exact', 250_000, minuteMs - 1, completed],
    ['EXPIRED', 'exact', 250_000, minuteMs, returned('EXPIRED')],
    ['EXPIRED', 'exact', 249_999, minuteMs - 1, returned('UNDERPAID')],
    ['COMPLETED', 'exact', 250_000, minuteMs - 1, returned('ALREADY_PAID')],
    ['COMPLETED', 'exact', 1, minuteMs, returned('ALREADY_PAID')],
    ['COMPLETED', 'any', 250_000, minuteMs - 1, returned('ALREADY_PAID')],
  ] as const)('%s, waiting for %s 250000, paid %i after %i ms', (status, policy, sum, afterMs, verdict) => {
    const account = waiting(status, { ...terms, policy })
    expect(judgeDeposit(account, toMoney(sum), new Date(openedMs + afterMs))).toEqual(verdict)
  })

  it('takes exactly the first payment of its amount that was made in time, and that completes it', () => {
    const status = fc.constantFrom('ACTIVE' as const, 'COMPLETED' as const, 'EXPIRED' as const)
    fc.assert(
      fc.property(status, order, paid, timeMs, (stands, asked, difference, paidMs) => {
        const sum = near(asked.amount, difference)
        const verdict = judgeDeposit(waiting(stands, asked), sum, new Date(paidMs))
        const inTime = paidMs < asked.expiresAt.getTime()
        const fits = asked.policy === 'any' || sum === asked.amount
        const takes = stands !== 'COMPLETED' && inTime && fits
        expect(verdict).toMatchObject(takes ? completed : { kind: 'returned' })
      }),
    )
  })

  it('says why money goes back, and what it says is true of the payment', () => {
    fc.assert(
      fc.property(order, paid, timeMs, (asked, difference, paidMs) => {
        const sum = near(asked.amount, difference)
        const verdict = judgeDeposit(waiting('ACTIVE', asked), sum, new Date(paidMs))
        const late = paidMs >= asked.expiresAt.getTime()
        fc.pre(verdict.kind === 'returned')
        expect(verdict).toEqual(returned(late ? 'EXPIRED' : sum < asked.amount ? 'UNDERPAID' : 'OVERPAID'))
      }),
    )
  })
})
