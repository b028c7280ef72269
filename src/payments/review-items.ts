// The facts about a payment that go to the review queue.

import type { Environment } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import type { ExceptionKind, Fact } from '#review/review-queue.ts'
import type { Payment } from './payment.ts'
import { publicIdOf } from './wire.ts'

/** A rail may be missing for a moment, for example while a new version is rolled out. */
export const withoutRailMsMax = 5 * minuteMs

/** Younger payments have no review items, so ending one need not look for any. */
export const unconcernedMs = minuteMs

export function withoutOutcome(payment: Payment, environment: Environment): Fact {
  return factAbout(payment, environment, 'payment-stuck', 'it has had no outcome for a day')
}

export function railIsMissing(payment: Payment, environment: Environment): Fact {
  const rail = payment.rail ?? '(none is noted)'
  const fact = `its rail ${rail}, or its bank or operator, is not configured; it waits until it is`
  return factAbout(payment, environment, 'payment-without-rail', fact)
}

export function railsAreExhausted(payment: Payment, environment: Environment): Fact {
  const { attempts, rail } = payment
  const fact = `${attempts} rails had it in turn, no other one can take it, and it waits for ${rail}`
  return factAbout(payment, environment, 'payment-without-rail', fact)
}

export function contradictionAbout(payment: Payment, environment: Environment, fact: string): Fact {
  return factAbout(payment, environment, 'payment-contradicted', fact)
}

/** `said`: the rail's present answer. */
export function endedOtherwise({ status }: Payment, said: string): string {
  return `its rail says ${said}, after it had ended ${status}`
}

/** The payment stays unfinished. When its rail shows it, the payment ends and the item is closed. */
export const existsAndIsAbsent =
  'its rail refused it because it has this reference already, and has not shown it since for 15 minutes or longer; nothing is sent, ask the provider'

export function hasAnother(detail: string): string {
  return `its rail has another payment under its reference (${detail}); ask the provider`
}

/** `rail`: one that the payment has left. */
export function wordOfRailLeft(payment: Payment, rail: string | null, said: string): string {
  return `the rail ${rail}, which it had left for ${payment.rail}, says ${said}: it may be paid twice`
}

export function moneyWithoutRoom(payment: Payment, environment: Environment): Fact {
  const came =
    payment.kind === 'momo_collection' ? 'its payer paid after it had expired' : 'its rail returned the money'
  const fact = `${came}, and the books of the business have no room for it`
  return factAbout(payment, environment, 'return-without-room', fact)
}

function factAbout(payment: Payment, environment: Environment, kind: ExceptionKind, fact: string): Fact {
  const { lane, tenantId, reference, currency, amount } = payment
  const tenant = { lane, id: tenantId }
  return { kind, environment, subject: publicIdOf(payment), fact, tenant, reference, currency, amount }
}
