// The reference under which a provider knows a payment. It is derived from the payment's id, so no crash loses it and
// no retry creates another. A lower-case UUID of version 4 is the only form that every known provider accepts: 16 to
// 50 characters, lower-case letters, digits and hyphens, and for some exactly a UUIDv4.

import { createHash } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'

/**
 * Uses 122 bits of a hash of the id: collisions are as unlikely as for random UUIDs, and the hash does not reveal the
 * id.
 */
export function railReferenceOf(id: Uuid): string {
  const digits = createHash('sha256').update(`manilla rail reference ${id}`).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) & 3)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

/**
 * For an account whose number may have to change: the next attempt must not find the account that an earlier one
 * opened.
 */
export function attemptReferenceOf({ railReference, attempt }: { railReference: string; attempt: number }): string {
  return attempt === 0 ? railReference : `${railReference}-${attempt}`
}

const simulatorName = 'simulator'

/** The provider of a deposit that a collection made; its payment has the rail. */
const collected = 'momo'

/**
 * Returns true if real money is at the rail; the simulator has none. `rail`: the name of a rail, or of the provider
 * that reported a deposit.
 */
export function holdsMoney(rail: string | null): rail is string {
  return rail !== null && rail !== '' && rail !== simulatorName && rail !== collected
}
