// What the simulator makes up is a hash of what it was asked, so that it's the same after a restart and on every
// machine.

import { createHash } from 'node:crypto'
import type { Pending } from '#rails/rail.ts'

export function digestOf(seed: string): Buffer {
  return createHash('sha256').update(`manilla simulator ${seed}`).digest()
}

/** A number below `limit` (at most 2^48). */
export function numberFrom(seed: string, limit: number): number {
  return digestOf(seed).readUIntBE(0, 6) % limit
}

/** So many decimal digits (at most 12). */
export function digitsFrom(seed: string, count: number): string {
  return String(numberFrom(seed, 10 ** count)).padStart(count, '0')
}

// How simulated time passes. The outcome of an order is a function of the order and of the time since its submission:
// nothing is remembered, so nothing is lost when the process dies.

/** `pending` until the order's outcome is due; undefined from then on. */
export function settling(elapsedMs: number, settleMs: number): Pending | undefined {
  return elapsedMs < settleMs ? { kind: 'pending', askAgainAfterMs: settleMs - elapsedMs } : undefined
}

/** `pending` for ever. After the usual time the caller decides when to ask again. */
export function neverEnding(elapsedMs: number, settleMs: number): Pending {
  return settling(elapsedMs, settleMs) ?? { kind: 'pending' }
}
