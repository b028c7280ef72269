// The reference under which a provider knows a payment. It follows from the payment's own id, so that no crash can
// lose it and no retry can invent another. A lower-case UUID of version 4 is the one form that every provider we
// know accepts: 16 to 50 characters, lower-case letters, digits and hyphens, and for some exactly a UUIDv4.

import { createHash } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'

/** 122 bits of a hash of the id: as unlikely to meet another as a random UUID is, and it tells nothing of the id. */
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

/** Of an account whose number may be asked for again: the next attempt must not be shown what the one before has opened. */
export function attemptReferenceOf({ railReference, attempt }: { railReference: string; attempt: number }): string {
  return attempt === 0 ? railReference : `${railReference}-${attempt}`
}

// Which rails hold real money. The simulator's is made up: no provider owes it to anybody.

const simulatorName = 'simulator'

/** Of a deposit that a collection made: its payment knows the rail. */
const collected = 'momo'

/** `rail`: the name of a rail, or of the provider that told of a deposit. */
export function holdsMoney(rail: string | null): rail is string {
  return rail !== null && rail !== '' && rail !== simulatorName && rail !== collected
}
