// Session ids of NIP, the network between Nigerian banks, and references of mobile operators.

import { lagosOffsetMs } from '#platform/durations.ts'
import { digitsFrom } from '#rails/simulator/digest.ts'

/** A session id has 30 digits: the sending institution (6), yyMMddHHmmss in Lagos, and 12 that the sender chooses. */
export function sessionIdOf({ sender, atMs, digits }: { sender: string; atMs: number; digits: string }): string {
  const lagosTime = new Date(atMs + lagosOffsetMs).toISOString().slice(2, 19).replaceAll(/\D/g, '')
  return sender + lagosTime + digits
}

// Generates session ids and operator references for payments that no bank or operator made: payments of the simulator,
// and payments that a tester completed. So these fields have values on staging as in production.

/** Assigned to no institution. */
const madeUpInstitution = '999999'

export function madeUpSessionId(seed: string, atMs: number): string {
  return sessionIdOf({ sender: madeUpInstitution, atMs, digits: digitsFrom(seed, 12) })
}

export function madeUpOperatorReference(seed: string): string {
  return `SIM${digitsFrom(seed, 12)}`
}
