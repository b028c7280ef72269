// What of a payment waits for a person, as facts to raise.

import type { Environment } from '#base/context.ts'
import { minuteMs } from '#base/durations.ts'
import type { ExceptionKind, Fact } from '#exceptions/exception.ts'
import type { Payment } from './payment.ts'
import { publicIdOf } from './wire.ts'

/** What a look at an unfinished payment can find. */
export type Concern = 'payment-stuck' | 'payment-without-rail'

/** A rail that is missing for a moment, as when a new version is rolled out, is nobody's concern. */
export const withoutRailMsMax = 5 * minuteMs

/** Younger payments have raised nothing, so that ending them need not look for what to close. */
export const unconcernedMs = minuteMs

export function concernAbout(payment: Payment, environment: Environment, concern: Concern): Fact {
  const fact =
    concern === 'payment-stuck'
      ? 'it has had no outcome for a day'
      : `its rail ${payment.rail ?? '(none is noted)'}, or its bank or operator, is not configured; it waits until it is`
  return factAbout(payment, environment, concern, fact)
}

/** `said`: what its rail says now. */
export function contradictionAbout(payment: Payment, environment: Environment, said: string): Fact {
  const fact = `its rail says ${said}, after it had ended ${payment.status}`
  return factAbout(payment, environment, 'payment-contradicted', fact)
}

export function returnWithoutRoom(payment: Payment, environment: Environment): Fact {
  const fact = 'its rail returned the money, and the books of the business have no room for it'
  return factAbout(payment, environment, 'return-without-room', fact)
}

function factAbout(payment: Payment, environment: Environment, kind: ExceptionKind, fact: string): Fact {
  const { lane, tenantId, reference, currency, amount } = payment
  const tenant = { lane, id: tenantId }
  return { kind, environment, subject: publicIdOf(payment), fact, tenant, reference, currency, amount }
}
