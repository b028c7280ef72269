// Generates the proof numbers of banks and operators for payments that none of them made: those of the simulator, and
// those that a tester completed. The field then has a value on staging as it has in production.

import { sessionIdOf } from './nip.ts'
import { digitsFrom } from './simulator/digest.ts'

/** Assigned to no institution. */
const madeUpInstitution = '999999'

/** Returns the same id for the same seed and time. */
export function madeUpSessionId(seed: string, atMs: number): string {
  return sessionIdOf({ sender: madeUpInstitution, atMs, digits: digitsFrom(seed, 12) })
}

/** Returns the same reference for the same seed. */
export function madeUpOperatorReference(seed: string): string {
  return `SIM${digitsFrom(seed, 12)}`
}
