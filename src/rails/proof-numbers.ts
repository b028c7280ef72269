// What a bank or an operator gives as a proof that it paid, made up where none was asked: by the simulator, and for a
// payment that a tester completed. So whoever builds on staging finds the field filled as it will be in production.

import { sessionIdOf } from './nip.ts'
import { digitsFrom } from './simulator/digest.ts'

/** Given to no institution. */
const madeUpInstitution = '999999'

/** The same for the same seed and time. */
export function madeUpSessionId(seed: string, atMs: number): string {
  return sessionIdOf({ sender: madeUpInstitution, atMs, digits: digitsFrom(seed, 12) })
}

/** The same for the same seed. */
export function madeUpOperatorReference(seed: string): string {
  return `SIM${digitsFrom(seed, 12)}`
}
