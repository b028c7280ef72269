// The proof of a payment that a tester completed: a session id or an operator's reference. A bank or an operator would
// have given one, so whoever builds on staging finds the field filled as it will be in production.

import type { Clock } from '#base/clock.ts'
import type { Tenant } from '#base/context.ts'
import { digitsFrom } from '#rails/simulator/digest.ts'
import type { Result } from './payment.ts'

/** Given to no institution. */
const senderInstitution = '999999'
const lagosOffsetMs = 3_600_000

/** Of which the payment takes what its kind has. */
export function withProof(clock: Clock, tenant: Tenant, reference: string, result: Result): Result {
  if (result.kind !== 'succeeded') return result
  const lagosTime = new Date(clock.now() + lagosOffsetMs).toISOString().slice(2, 19).replaceAll(/\D/g, '')
  const digits = digitsFrom(`${tenant.id} ${reference}`, 12)
  return {
    ...result,
    sessionId: result.sessionId ?? senderInstitution + lagosTime + digits,
    operatorReference: result.operatorReference ?? `SIM${digits}`,
  }
}
