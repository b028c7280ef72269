// A payment's rail, and the order under which the rail knows it: each kind has its own port and order.

import type { Environment } from '#base/context.ts'
import { findBank } from '#directory/banks.ts'
import { findOperator } from '#directory/operators.ts'
import type {
  CollectionOrder,
  CollectionState,
  MomoCollection as CollectionPort,
  MomoPayoutState,
  NotFound,
  PayoutState,
  RailOperator,
} from '#rails/rail.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { kinds } from './kinds.ts'
import type { MomoCollection, Payment, PaymentKind } from './payment.ts'

export type RailState = PayoutState | MomoPayoutState | CollectionState

export type RailTurn = {
  submit(): Promise<RailState>
  status(): Promise<RailState | NotFound>
}

/** Undefined: there is no rail any more, or the directory has forgotten the bank or operator. */
export function railTurnOf(rails: RailRegistry, environment: Environment, payment: Payment): RailTurn | undefined {
  switch (payment.kind) {
    case 'bank_transfer': {
      const rail = rails.payout(environment)
      const bank = findBank(payment.bankSlug)
      if (rail.kind === 'missing' || bank === undefined) return undefined
      const { accountNumber, accountName } = payment
      const order = { ...orderOf(payment), bank, accountNumber, accountName }
      return { submit: () => rail.port.submit(order), status: () => rail.port.status(order) }
    }
    case 'momo_transfer': {
      const rail = rails.momoPayout(environment)
      const operator = findOperator(payment.operator)
      if (rail.kind === 'missing' || operator === undefined) return undefined
      const { phoneNumber, accountName } = payment
      const order = { ...orderOf(payment), operator, phoneNumber, accountName }
      return { submit: () => rail.port.submit(order), status: () => rail.port.status(order) }
    }
    case 'momo_collection': {
      const found = collectionRailOf(rails, environment, payment)
      if (found === undefined) return undefined
      const { port, order } = found
      return { submit: () => port.submit(order), status: () => port.status(order) }
    }
  }
}

export function collectionRailOf(
  rails: RailRegistry,
  environment: Environment,
  collection: MomoCollection,
): { port: CollectionPort; order: CollectionOrder } | undefined {
  const rail = rails.momoCollection(environment)
  const operator: RailOperator | undefined = findOperator(collection.operator)
  if (rail.kind === 'missing' || operator === undefined) return undefined
  const order = {
    ...orderOf(collection),
    operator,
    phoneNumber: collection.phoneNumber,
    accountName: collection.customerName,
    otpAcceptedAtMs: collection.otpAcceptedAt?.getTime() ?? null,
    expiresAtMs: collection.expiresAt.getTime(),
  }
  return { port: rail.port, order }
}

/** The longest that a submission can take; 0 without a rail. */
export function submitLeaseMsOf(rails: RailRegistry, environment: Environment, kind: PaymentKind): number {
  const answer = rails[kinds[kind].port](environment)
  return answer.kind === 'missing' ? 0 : answer.port.submitLeaseMs
}

function orderOf(payment: Payment) {
  return {
    railReference: railReferenceOf(payment.id),
    amount: payment.amount,
    currency: payment.currency,
    narration: payment.narration,
    submittedAtMs: (payment.submittedAt ?? payment.createdAt).getTime(),
  }
}
