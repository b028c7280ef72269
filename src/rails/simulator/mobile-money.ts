// Simulated mobile money: transfers to a phone and collections from one.

import { unreachable } from '#platform/assert.ts'
import type { Clock } from '#platform/clock.ts'
import { madeUpOperatorReference } from '#rails/proof-numbers.ts'
import type {
  Approval,
  CollectionOrder,
  CollectionState,
  MomoCollection,
  MomoFailureReason,
  MomoOrder,
  MomoPayout,
  OtpAnswer,
  PendingStatus,
} from '#rails/rail.ts'
import { codeLifeMs, phoneFate, rightOtp, type PhoneFate } from './directory.ts'
import { neverEnding, pendingUntilSettled } from './digest.ts'

type MomoOutcome =
  | PendingStatus
  | { kind: 'succeeded'; operatorReference: string }
  | { kind: 'failed'; reason: MomoFailureReason }

export function simulateMomoPayout(clock: Clock, settleMs: number): MomoPayout {
  const state = (order: MomoOrder): Promise<MomoOutcome> => {
    const fate = phoneFate(order.phoneNumber)
    return Promise.resolve(outcome(order, fate, 'RECIPIENT_NOT_FOUND', clock.now() - order.submittedAtMs, settleMs))
  }
  return { submitLeaseMs: settleMs, submit: state, status: state }
}

export function simulateMomoCollection(clock: Clock, settleMs: number): MomoCollection {
  const state = (order: CollectionOrder): Promise<CollectionState> =>
    Promise.resolve(collectionState(order, clock.now(), settleMs))
  const answer = (order: CollectionOrder, otp: string): OtpAnswer => {
    const codeExpiresAtMs = codeExpiry(order)
    if (codeExpiresAtMs === undefined) return { kind: 'not-waiting' }
    const nowMs = clock.now()
    if (order.otpAcceptedAtMs === null && nowMs >= codeExpiresAtMs) return { kind: 'expired' }
    if (otp !== rightOtp) return { kind: 'wrong' }
    return { kind: 'accepted', state: afterCode(order, order.otpAcceptedAtMs ?? nowMs, nowMs, settleMs) }
  }
  return {
    submitLeaseMs: settleMs,
    approval: approvalOf,
    submit: state,
    status: (order) => (isForgotten(order, clock.now()) ? Promise.resolve({ kind: 'not-found' }) : state(order)),
    submitOtp: (order, otp) => Promise.resolve(answer(order, otp)),
  }
}

function collectionState(order: CollectionOrder, nowMs: number, settleMs: number): CollectionState {
  const codeExpiresAtMs = codeExpiry(order)
  if (codeExpiresAtMs === undefined) {
    const fate = phoneFate(order.phoneNumber)
    return outcome(order, fate, 'PAYER_NOT_FOUND', nowMs - order.submittedAtMs, settleMs)
  }
  if (order.otpAcceptedAtMs !== null) return afterCode(order, order.otpAcceptedAtMs, nowMs, settleMs)
  if (nowMs >= codeExpiresAtMs) return { kind: 'failed', reason: 'OTP_EXPIRED' }
  return { kind: 'otp-required', expiresAtMs: codeExpiresAtMs }
}

/** A request that the payer never answered is gone after its expiry. */
function isForgotten({ phoneNumber, expiresAtMs }: CollectionOrder, nowMs: number): boolean {
  return phoneFate(phoneNumber)?.kind === 'never-ends' && expiresAtMs !== undefined && nowMs >= expiresAtMs
}

/** A listed phone decides the approval; for any other phone, its operator does. */
function approvalOf({ phoneNumber, operator }: Parameters<MomoCollection['approval']>[0]): Approval {
  const fate = phoneFate(phoneNumber)
  if (fate?.kind === 'asks-for-code') return { kind: 'otp', validMs: fate.codeLifeMs }
  return fate === undefined && operator.requiresOtp ? { kind: 'otp', validMs: codeLifeMs } : { kind: 'handset' }
}

/** Undefined if the collection needs no code. */
function codeExpiry(order: CollectionOrder): number | undefined {
  const approval = approvalOf(order)
  return approval.kind === 'otp' ? order.submittedAtMs + approval.validMs : undefined
}

function afterCode(order: CollectionOrder, acceptedAtMs: number, nowMs: number, settleMs: number): MomoOutcome {
  return outcome(order, undefined, 'PAYER_NOT_FOUND', nowMs - acceptedAtMs, settleMs)
}

function outcome(
  order: MomoOrder,
  fate: PhoneFate | undefined,
  notFound: MomoFailureReason,
  elapsedMs: number,
  settleMs: number,
): MomoOutcome {
  const waiting = pendingUntilSettled(elapsedMs, settleMs)
  switch (fate?.kind) {
    case undefined:
    case 'succeeds':
    case 'asks-for-code':
      return waiting ?? { kind: 'succeeded', operatorReference: madeUpOperatorReference(order.railReference) }
    case 'fails':
      return waiting ?? { kind: 'failed', reason: fate.reason }
    case 'not-found':
      return waiting ?? { kind: 'failed', reason: notFound }
    case 'never-ends':
      return neverEnding(elapsedMs, settleMs)
    default:
      return unreachable(fate)
  }
}
