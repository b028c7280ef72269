// The account numbers and phone numbers that decide the outcome of a simulated payment. docs/simulator.md lists them for
// integrators.

import { minuteMs } from '#platform/durations.ts'
import type { BankFailureReason, MomoFailureReason } from '#rails/rail.ts'

type AccountFate =
  | { kind: 'succeeds' }
  | { kind: 'fails'; reason: BankFailureReason }
  /** The outcome stays unknown for this long after the submission; then the transfer has succeeded. */
  | { kind: 'unclear'; forMs: number }
  | { kind: 'never-ends' }
  | { kind: 'returns'; afterMs: number }

const succeeds = { kind: 'succeeds' } as const
const neverEnds = { kind: 'never-ends' } as const
const fails = <Reason>(reason: Reason) => ({ kind: 'fails', reason }) as const

/** The bank accounts. A payment to any other account succeeds. */
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
  /** A collection from this phone requires a code; a transfer to it succeeds. */
  | { kind: 'asks-for-code'; codeLifeMs: number }
  /** The failure reason for a payer differs from the one for a recipient. */
  | { kind: 'not-found' }

export const rightOtp = '123456'

export const codeLifeMs = 10 * minuteMs

/** The fates by the last three digits of a phone. */
const phoneFates = new Map<string, PhoneFate>([
  ['001', succeeds],
  ['002', { kind: 'asks-for-code', codeLifeMs }],
  ['003', fails('PAYMENT_NOT_APPROVED')],
  ['004', fails('INSUFFICIENT_FUNDS')],
  ['005', { kind: 'not-found' }],
  ['006', fails('OPERATOR_UNAVAILABLE')],
  ['007', fails('LIMIT_EXCEEDED')],
  ['008', neverEnds],
  ['009', { kind: 'asks-for-code', codeLifeMs: 10_000 }],
])

/** In Nigeria, the phones 08000000001 to 08000000009 control the simulator; no network has them. */
const ordinaryNigerian = /^\+234(?!80000000)/

/** Undefined for a phone that is not listed; then its operator decides whether a code is required. */
export function phoneFate(phoneNumber: string): PhoneFate | undefined {
  return ordinaryNigerian.test(phoneNumber) ? undefined : phoneFates.get(phoneNumber.slice(-3))
}
