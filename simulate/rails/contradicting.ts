// A simulated provider of the production environment, shared by all instances. It contradicts itself or never reports a
// final status. How it answers about a payout depends on the contradiction planned for the payee.

import type { Clock } from '#platform/clock.ts'
import { toMoney } from '#platform/money.ts'
import { mayLeaveBy } from '#rails/outcome.ts'
import type { VirtualAccounts } from '#rails/ports.ts'
import type { NotFound, PayoutOrder, PayoutState, Rail, RailNotice, Unknown } from '#rails/rail.ts'
import type { Pulse } from '#simulate/timers.ts'
import { neverResolve } from './submission.ts'

export const contradictingRail = 'contradicting'

/**
 * `recants`: the provider says that the payout succeeded, and later that it failed. `relents`: first failed, then succeeded.
 * `mistakes`: it shows another amount under the reference. `vanishes`: it says that it has the reference already, and later
 * that it does not know it. `silent`: it never answers. With the last three the payout gets no final status.
 */
export const contradictions = ['recants', 'relents', 'mistakes', 'vanishes', 'silent'] as const
export type Contradiction = (typeof contradictions)[number]

type Order = { railReference: string; hasTurned: boolean }

export type ContradictingProvider = {
  plan(payee: string, contradiction: Contradiction): void
  /** The payout of a payee, once the provider has it. */
  orderOf(payee: string): Readonly<Order> | undefined
  /** From now on the provider says the opposite about this payee's payout. */
  turn(payee: string): void
  railFor(parts: { accounts: VirtualAccounts; pulse: Pulse; clock: Clock }): Rail
}

const succeeded: PayoutState = { kind: 'succeeded', sessionId: '9'.repeat(30) }
const failed: PayoutState = { kind: 'failed', reason: 'DO_NOT_HONOR' }
const silent: Unknown = { kind: 'unknown', detail: 'no answer in time' }

export function createContradictingProvider(): ContradictingProvider {
  const plans = new Map<string, Contradiction>()
  const orders = new Map<string, Order>()

  function answer({ accountNumber }: PayoutOrder, isSubmission: boolean): PayoutState | NotFound {
    const hasTurned = orders.get(accountNumber)?.hasTurned === true
    switch (plans.get(accountNumber)) {
      case 'recants':
        return hasTurned ? failed : succeeded
      case 'relents':
        return hasTurned ? succeeded : failed
      case 'mistakes':
        return { kind: 'unknown', detail: 'another amount', why: 'mismatch' }
      case 'vanishes':
        return isSubmission ? { kind: 'pending', exists: true, askAgainAfterMs: 0 } : { kind: 'not-found' }
      case 'silent':
      case undefined:
        return silent
    }
  }

  return {
    plan: (payee, contradiction) => void plans.set(payee, contradiction),
    orderOf: (payee) => orders.get(payee),
    turn(payee) {
      const order = orders.get(payee)
      if (order !== undefined) order.hasTurned = true
    },
    railFor({ accounts, pulse, clock }) {
      const over = <Answer>(act: () => Answer): Promise<Answer> => actAwake(pulse, act)
      return {
        name: contradictingRail,
        virtualAccounts: accounts,
        payout: {
          submitLeaseMs: 1_000,
          submit: (order) =>
            over((): PayoutState => {
              if (!mayLeaveBy(order, clock)()) return { ...silent, sent: false }
              const { accountNumber, railReference } = order
              if (!orders.has(accountNumber)) orders.set(accountNumber, { railReference, hasTurned: false })
              return answer(order, true) as PayoutState
            }),
          status: (order) =>
            over(() => (orders.has(order.accountNumber) ? answer(order, false) : { kind: 'not-found' as const })),
        },
        inbound: {
          provider: contradictingRail,
          tellsOfPayments: true,
          verify: () => 'genuine',
          read: async (rawBody) => ({ kind: 'notices', notices: [noticeIn(rawBody)] }),
        },
      }
    },
  }
}

async function actAwake<Answer>(pulse: Pulse, act: () => Answer): Promise<Answer> {
  if (pulse.state() === 'dead') return neverResolve()
  await pulse.awake()
  const answer = act()
  await pulse.awake()
  return answer
}

export type ContradictingNotice =
  | { railReference: string; says: 'succeeded' | 'failed' }
  | { providerId: string; accountNumber: string; amount: number; paidAtMs: number }

function noticeIn(rawBody: Buffer): RailNotice {
  const body = JSON.parse(rawBody.toString('utf8')) as ContradictingNotice
  if ('railReference' in body) return { about: 'payment', ...body }
  const { providerId, accountNumber, amount, paidAtMs } = body
  return {
    about: 'deposit',
    deposit: {
      provider: contradictingRail,
      providerId,
      account: { number: accountNumber },
      amount: toMoney(amount),
      currency: 'NGN',
      status: 'SUCCESSFUL',
      senderAccountName: 'ADA OBI',
      senderAccountNumber: '0123456789',
      senderBankName: 'Bank',
      narration: 'capital',
      occurredAtMs: paidAtMs,
    },
  }
}
