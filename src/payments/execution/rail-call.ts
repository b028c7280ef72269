// A payment's order at its rail: how the payment is put to it, and what can be asked about it there. Each kind has its own
// port. It is the rail that the payment names and no other, whatever the environment's rail is today: another one would say
// truthfully that it does not know the payment, and it would be paid twice. When it may name another is rail-change.ts. A rail
// promises not to throw; should one do so, the outcome is unknown, and that is an answer too.

import { environments, type Environment } from '#platform/context.ts'
import { findBank } from '#directory/banks.ts'
import { findOperator } from '#directory/operators.ts'
import type {
  CollectionState,
  MomoPayoutState,
  NotFound,
  OtpAnswer,
  PayoutState,
  RailOperator,
  Submission,
} from '#rails/rail.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { RailRegistry, Which } from '#rails/registry.ts'
import { kinds, paymentKinds, type MomoCollection, type Payment } from '#payments/payment.ts'

export type RailState = PayoutState | MomoPayoutState | CollectionState

export type RailOrder = {
  /** `leaveBeforeMs`: when the lease under which it is sent ends. */
  submit(leaveBeforeMs: number): Promise<RailState>
  status(): Promise<RailState | NotFound>
}

/**
 * Undefined: its rail is not among the environment's, or the directory has forgotten the bank or operator. A payment that
 * names no rail is put to the first of today: what that one does not know of it proves nothing (carry-step.ts).
 */
export function railOrderOf(rails: RailRegistry, environment: Environment, payment: Payment): RailOrder | undefined {
  switch (payment.kind) {
    case 'bank_transfer': {
      const rail = rails.payout(environment, whichOf(payment))
      const bank = findBank(payment.bankSlug)
      if (rail.kind === 'missing' || bank === undefined) return undefined
      const { accountNumber, accountName } = payment
      return orderAt(rail.port, { ...commonOrder(payment), bank, accountNumber, accountName })
    }
    case 'momo_transfer': {
      const rail = rails.momoPayout(environment, whichOf(payment))
      const operator = findOperator(payment.operator)
      if (rail.kind === 'missing' || operator === undefined) return undefined
      const { phoneNumber, accountName } = payment
      return orderAt(rail.port, { ...commonOrder(payment), operator, phoneNumber, accountName })
    }
    case 'momo_collection':
      return collectionOrderOf(rails, environment, payment)
  }
}

function whichOf({ rail }: Pick<Payment, 'rail'>): Which | undefined {
  return rail === null ? undefined : { rail }
}

export type CollectionOrder = RailOrder & { submitOtp(code: string): Promise<OtpAnswer> }

export function collectionOrderOf(
  rails: RailRegistry,
  environment: Environment,
  collection: MomoCollection,
): CollectionOrder | undefined {
  const rail = rails.momoCollection(environment, whichOf(collection))
  const operator: RailOperator | undefined = findOperator(collection.operator)
  if (rail.kind === 'missing' || operator === undefined) return undefined
  const { port } = rail
  const order = {
    ...commonOrder(collection),
    operator,
    phoneNumber: collection.phoneNumber,
    accountName: collection.customerName,
    otpAcceptedAtMs: collection.otpAcceptedAt?.getTime() ?? null,
    expiresAtMs: collection.expiresAt.getTime(),
  }
  return { ...orderAt(port, order), submitOtp: (code) => guarded(() => port.submitOtp(order, code)) }
}

/** Payments of one kind that go to one rail. */
export type Way = Pick<Payment, 'kind' | 'rail'>

/** The longest that a submission can take; 0 without a rail. */
export function submitLeaseMsOf(rails: RailRegistry, environment: Environment, { kind, rail }: Way): number {
  const answer = rails[kinds[kind].port](environment, whichOf({ rail }))
  return answer.kind === 'missing' ? 0 : answer.port.submitLeaseMs
}

/** The longest of any kind at any rail. */
export function submitLeaseMsMaxOf(rails: RailRegistry): number {
  return Math.max(
    0,
    ...environments.flatMap((environment) =>
      rails
        .namesOf(environment)
        .flatMap((rail) => paymentKinds.map((kind) => submitLeaseMsOf(rails, environment, { kind, rail }))),
    ),
  )
}

function orderAt<Order, State extends RailState>(port: Submission<Order, State>, order: Order): RailOrder {
  return {
    submit: (leaveBeforeMs) => guarded(() => port.submit({ ...order, leaveBeforeMs })),
    status: () => guarded(() => port.status(order)),
  }
}

function commonOrder(payment: Payment) {
  return {
    railReference: railReferenceOf(payment.id),
    amount: payment.amount,
    currency: payment.currency,
    narration: payment.narration,
    submittedAtMs: (payment.submittedAt ?? payment.createdAt).getTime(),
  }
}

async function guarded<T>(call: () => Promise<T>): Promise<T | { kind: 'unknown'; detail: string }> {
  try {
    return await call()
  } catch (error) {
    return { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }
  }
}
