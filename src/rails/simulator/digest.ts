// The simulator derives its data from a hash of the request, so the data is the same after a restart and on every
// machine.

import { hash } from 'node:crypto'
import type { PendingStatus } from '#rails/rail.ts'

export function digestOf(seed: string): Buffer {
  return hash('sha256', `manilla simulator ${seed}`, 'buffer')
}

/** A number below `limit` (at most 2^48). */
export function numberFrom(seed: string, limit: number): number {
  return digestOf(seed).readUIntBE(0, 6) % limit
}

/** Decimal digits (at most 12). */
export function digitsFrom(seed: string, count: number): string {
  return String(numberFrom(seed, 10 ** count)).padStart(count, '0')
}

/**
 * `pending` until the order's outcome is due, then undefined. The outcome is a function of the order and the time
 * since its submission: nothing is stored, so a crash loses nothing.
 */
export function pendingUntilSettled(elapsedMs: number, settleMs: number): PendingStatus | undefined {
  return elapsedMs < settleMs ? { kind: 'pending', askAgainAfterMs: settleMs - elapsedMs } : undefined
}

/** `pending` forever. After the usual time the caller chooses when to ask again. */
export function neverEnding(elapsedMs: number, settleMs: number): PendingStatus {
  return pendingUntilSettled(elapsedMs, settleMs) ?? { kind: 'pending' }
}
