// How simulated time passes. The outcome of an order is a function of the order and of the time since its submission:
// nothing is remembered, so nothing is lost when the process dies.

import type { Pending } from '#rails/rail.ts'

/** `pending` until the order's outcome is due; undefined from then on. */
export function settling(elapsedMs: number, settleMs: number): Pending | undefined {
  return elapsedMs < settleMs ? { kind: 'pending', askAgainAfterMs: settleMs - elapsedMs } : undefined
}

/** `pending` for ever. After the usual time the caller decides when to ask again. */
export function neverEnding(elapsedMs: number, settleMs: number): Pending {
  return settling(elapsedMs, settleMs) ?? { kind: 'pending' }
}
