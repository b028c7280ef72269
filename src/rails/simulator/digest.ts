// What the simulator makes up is a hash of what it was asked, so that it's the same after a restart and on every
// machine.

import { createHash } from 'node:crypto'

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
