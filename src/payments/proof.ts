// The proof of a payment that a tester completed, in place of the bank's or the operator's.

import type { Clock } from '#platform/clock.ts'
import type { Tenant } from '#platform/context.ts'
import { madeUpOperatorReference, madeUpSessionId } from '#rails/proof-numbers.ts'
import type { Result } from './payment.ts'

/** A result of both proofs, of which the payment takes the one that its kind has. */
export function withProof(clock: Clock, tenant: Tenant, reference: string, result: Result): Result {
  if (result.kind !== 'succeeded') return result
  const seed = `${tenant.id} ${reference}`
  return {
    ...result,
    sessionId: result.sessionId ?? madeUpSessionId(seed, clock.now()),
    operatorReference: result.operatorReference ?? madeUpOperatorReference(seed),
  }
}
