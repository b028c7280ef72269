// How the three kinds of payments differ, on one screen. What is not here is the same for all of them; how they are born is
// `bornOf` (payment.ts), what a business sees of them is wire.ts.

import type { EventName } from '#events/catalogue.ts'
import { bankFailureReasons, momoFailureReasons } from '#rails/rail.ts'
import type { FailureReason, PaymentKind } from './payment.ts'

export type Kind = {
  /**
   * `out`: acceptance holds amount and fee, and the end pays them or gives them back. `in`: nothing is held; success is
   * an inflow, credited as the deposit that it makes.
   */
  direction: 'out' | 'in'
  /** The port of a rail that carries it. */
  port: 'payout' | 'momoPayout' | 'momoCollection'
  /** The outcome when the directory does not know the bank or operator. */
  unknownPayee: 'unknown-bank' | 'unknown-operator'
  /** The fields in which a second request under the same reference must agree with the first. */
  material: readonly string[]
  failureReasons: readonly FailureReason[]
  /** The event that tells of a status. */
  events: { SUCCESS: EventName; FAILED: EventName; REVERSED?: EventName }
}

const ofWallets = {
  unknownPayee: 'unknown-operator',
  material: ['amount', 'phoneNumber', 'operator'],
  failureReasons: momoFailureReasons,
} as const

export const kinds: Record<PaymentKind, Kind> = {
  bank_transfer: {
    direction: 'out',
    port: 'payout',
    unknownPayee: 'unknown-bank',
    material: ['amount', 'bankSlug', 'accountNumber'],
    failureReasons: bankFailureReasons,
    events: { SUCCESS: 'transfer.success', FAILED: 'transfer.failed', REVERSED: 'transfer.reversed' },
  },
  momo_transfer: {
    direction: 'out',
    port: 'momoPayout',
    ...ofWallets,
    events: { SUCCESS: 'momo.transfer.success', FAILED: 'momo.transfer.failed' },
  },
  momo_collection: {
    direction: 'in',
    port: 'momoCollection',
    ...ofWallets,
    events: { SUCCESS: 'momo.collection.success', FAILED: 'momo.collection.failed' },
  },
}

/**
 * The policy of idempotency. Undefined: it is the same request; else the name of the first field that differs. Names,
 * narration and metadata never conflict.
 */
export function differingField(
  first: { kind: PaymentKind } & Record<string, unknown>,
  second: Record<string, unknown>,
): string | undefined {
  return kinds[first.kind].material.find((field) => first[field] !== second[field])
}
