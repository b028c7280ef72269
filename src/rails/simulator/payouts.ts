// Simulated bank transfers and refunds.

import { unreachable } from '#platform/assert.ts'
import type { Clock } from '#platform/clock.ts'
import type { RefundOrder, Refunds } from '#rails/ports.ts'
import { madeUpSessionId } from '#rails/proof-numbers.ts'
import type { BankPayout, PayoutOrder, PayoutState, PendingStatus } from '#rails/rail.ts'
import { neverEnding, pendingUntilSettled } from './digest.ts'
import { accountFate } from './directory.ts'

export function simulatePayout(clock: Clock, settleMs: number): BankPayout {
  const state = (order: PayoutOrder): Promise<PayoutState> =>
    Promise.resolve(payoutState(order, clock.now() - order.submittedAtMs, settleMs))
  return {
    // The first status query comes when the outcome is there, so an ordinary transfer needs only one.
    submitLeaseMs: settleMs,
    submit: state,
    status: state,
  }
}

function payoutState(order: PayoutOrder, elapsedMs: number, settleMs: number): PayoutState {
  const fate = accountFate(order.accountNumber)
  switch (fate.kind) {
    case 'succeeds':
      return pendingUntilSettled(elapsedMs, settleMs) ?? { kind: 'succeeded', sessionId: sessionIdOf(order) }
    case 'fails':
      return pendingUntilSettled(elapsedMs, settleMs) ?? { kind: 'failed', reason: fate.reason }
    case 'never-ends':
      return neverEnding(elapsedMs, settleMs)
    case 'unclear':
      if (elapsedMs >= fate.forMs) return { kind: 'succeeded', sessionId: sessionIdOf(order) }
      return { kind: 'unknown', detail: 'NIP 97: timeout waiting for the destination (simulated)' }
    case 'returns': {
      const leftMs = settleMs + fate.afterMs - elapsedMs
      if (leftMs <= 0) return { kind: 'reversed', sessionId: sessionIdOf(order) }
      return (
        pendingUntilSettled(elapsedMs, settleMs) ?? {
          kind: 'succeeded',
          sessionId: sessionIdOf(order),
          askAgainAfterMs: leftMs,
        }
      )
    }
    default:
      return unreachable(fate)
  }
}

function sessionIdOf(order: PayoutOrder): string {
  return madeUpSessionId(order.railReference, order.submittedAtMs)
}

/** Each simulated refund reaches its payer after the usual time. */
export function simulateRefunds(clock: Clock, settleMs: number): Refunds {
  const state = ({ submittedAtMs }: RefundOrder): Promise<PendingStatus | { kind: 'refunded' }> =>
    Promise.resolve(pendingUntilSettled(clock.now() - submittedAtMs, settleMs) ?? { kind: 'refunded' })
  return { refundLeaseMs: settleMs, refund: state, status: state }
}
