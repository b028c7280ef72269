// Simulated refunds: each reaches its payer after the usual time.

import type { Clock } from '#base/clock.ts'
import type { Pending } from '#rails/rail.ts'
import type { RefundOrder, Refunds } from '#rails/rail-refunds.ts'
import { settling } from './timeline.ts'

export function simulateRefunds(clock: Clock, settleMs: number): Refunds {
  const state = ({ submittedAtMs }: RefundOrder): Promise<Pending | { kind: 'refunded' }> =>
    Promise.resolve(settling(clock.now() - submittedAtMs, settleMs) ?? { kind: 'refunded' })
  return { refundLeaseMs: settleMs, refund: state, status: state }
}
