// The numbers that decide what the simulator does. A payment to any other number succeeds.

import { minuteMs } from '#base/durations.ts'
import type { BankFailureReason, MomoFailureReason } from '#rails/rail.ts'

export type AccountFate =
  | { kind: 'succeeds' }
  | { kind: 'fails'; reason: BankFailureReason }
  /** The outcome stays unknown for this long after the submission; then the transfer has succeeded. */
  | { kind: 'unclear'; forMs: number }
  | { kind: 'never-ends' }
  | { kind: 'returns'; afterMs: number }

const succeeds = { kind: 'succeeds' } as const
const neverEnds = { kind: 'never-ends' } as const
const fails = <Reason>(reason: Reason) => ({ kind: 'fails', reason }) as const

const accountFates = new Map<string, AccountFate>([
  ['9990000005', fails('DO_NOT_HONOR')],
  ['9990000006', fails('DORMANT_ACCOUNT')],
  ['9990000007', fails('INVALID_ACCOUNT')],
  ['9990000008', fails('ACCOUNT_NAME_MISMATCH')],
  ['9990000009', neverEnds],
  ['9990000034', fails('SUSPECTED_FRAUD')],
  ['9990000050', { kind: 'returns', afterMs: 5_000 }],
  ['9990000061', fails('LIMIT_EXCEEDED')],
  ['9990000091', fails('BANK_UNAVAILABLE')],
  ['9990000097', { kind: 'unclear', forMs: 30_000 }],
  ['9990000099', fails('PROVIDER_ERROR')],
])

export function accountFate(accountNumber: string): AccountFate {
  return accountFates.get(accountNumber) ?? succeeds
}

export type PhoneFate =
  | { kind: 'succeeds' }
  | { kind: 'fails'; reason: MomoFailureReason }
  | { kind: 'never-ends' }
  /** A collection from this phone asks for a code; a transfer to it succeeds. */
  | { kind: 'asks-for-code'; codeLifeMs: number }
  /** The failure has another name for a payer than for a recipient. */
  | { kind: 'not-found' }

/** The right code of every phone. */
export const rightOtp = '123456'

export const codeLifeMs = 10 * minuteMs

// 08000000001 and its neighbours, as E.164.
const phoneFates = new Map<string, PhoneFate>([
  ['+2348000000001', succeeds],
  ['+2348000000002', { kind: 'asks-for-code', codeLifeMs }],
  ['+2348000000003', fails('PAYMENT_NOT_APPROVED')],
  ['+2348000000004', fails('INSUFFICIENT_FUNDS')],
  ['+2348000000005', { kind: 'not-found' }],
  ['+2348000000006', fails('OPERATOR_UNAVAILABLE')],
  ['+2348000000007', fails('LIMIT_EXCEEDED')],
  ['+2348000000008', neverEnds],
  ['+2348000000009', { kind: 'asks-for-code', codeLifeMs: 10_000 }],
])

/** Undefined for a phone that is not listed: then its operator decides whether a code is asked for. */
export function phoneFate(phoneNumber: string): PhoneFate | undefined {
  return phoneFates.get(phoneNumber)
}
