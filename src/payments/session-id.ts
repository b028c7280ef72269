// The session id of a transfer that a tester completed. A bank would have given one, so whoever builds on staging
// finds the field filled as it will be in production.

import type { Clock } from '#base/clock.ts'
import type { Tenant } from '#base/context.ts'
import { digitsFrom } from '#rails/simulator/digest.ts'
import type { Result } from './payment.ts'

/** Given to no institution. */
const senderInstitution = '999999'
const lagosOffsetMs = 3_600_000

export function withSessionId(clock: Clock, tenant: Tenant, reference: string, result: Result): Result {
  if (result.kind !== 'succeeded' || result.sessionId !== null) return result
  const lagosTime = new Date(clock.now() + lagosOffsetMs).toISOString().slice(2, 19).replaceAll(/\D/g, '')
  return { ...result, sessionId: senderInstitution + lagosTime + digitsFrom(`${tenant.id} ${reference}`, 12) }
}
