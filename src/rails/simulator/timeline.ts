// How simulated time passes. The outcome of an order is a function of the order and of the time since its submission:
// nothing is remembered, so nothing is lost when the process dies.

import type { Pending } from '#rails/rail.ts'

/** Under way until the outcome is there; undefined from then on. */
export function settling(elapsedMs: number, settleMs: number): Pending | undefined {
  return elapsedMs < settleMs ? { kind: 'pending', askAgainAfterMs: settleMs - elapsedMs } : undefined
}

/** Under way for ever: when to ask again is left to the caller once the usual time has passed. */
export function neverEnding(elapsedMs: number, settleMs: number): Pending {
  return settling(elapsedMs, settleMs) ?? { kind: 'pending' }
}
