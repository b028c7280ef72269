// Answers that adapters share: refusals, unsent requests and answers to status queries. Also the grace period
// (`absenceGraceMs`): a provider that has not shown a payment or refund for this long does not have it. Also the
// reasons of failures: how they are read from a provider's free text, and what businesses are told about them. rail.ts
// says which answers leave the outcome unknown; each adapter (rails/…/payout.ts, payments.ts) decides it for its provider.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Unknown, BankFailureReason, MomoFailureReason } from './rail.ts'

export type RailRefusal = { status: number; code: string; message: string }

/** Describes an answer that is no success, without any data of the request. */
export function detailOf(endpoint: string, said: Unknown | ({ kind: 'refusal' } & RailRefusal)): string {
  return said.kind === 'unknown' ? said.detail : `${endpoint}: refused with ${said.status} ${said.code}`
}

/** The pause after a refusal of our account, or if the balance is too small. */
const restMs = minuteMs

/** The provider refused our account, not the payment, and nothing was done. */
export function unknownByConfiguration(endpoint: string, status: number, lookAt: string): Unknown {
  return {
    kind: 'unknown',
    detail: `${endpoint}: refused us with ${status}; look at ${lookAt}`,
    sent: false,
    askAgainAfterMs: restMs,
    why: 'misconfigured',
  }
}

export function emptyFloat(detail: string): Unknown {
  return { kind: 'unknown', detail, sent: false, askAgainAfterMs: restMs, why: 'float' }
}

/** Checks, just before a request is sent, that the order's deadline has not passed. An order may have no deadline. */
export function mayLeaveBy({ leaveBeforeMs = Infinity }: { leaveBeforeMs?: number }, clock: Clock): () => boolean {
  return () => clock.monotonicMs() < leaveBeforeMs
}

/**
 * Converts the answer to a status query. Drops `sent`, because a query that was not sent says nothing about the
 * payment. Keeps `askAgainAfterMs` of a rate limit, so that the query is repeated when the limit allows it. Drops it if
 * there is a `why`, because it is then meant for submissions.
 */
export function ofQuestion({ detail, why, askAgainAfterMs }: Unknown): Unknown {
  if (why !== undefined) return { kind: 'unknown', detail, why }
  return { kind: 'unknown', detail, ...(askAgainAfterMs === undefined ? {} : { askAgainAfterMs }) }
}

/**
 * The grace period. A provider may be late to show a payment or refund. If it has not shown one for this long, counted
 * since this process first saw it absent (`createFirstSeen`), the provider does not have it. Then:
 *
 * 1. a payout that the rail refused with a code that it does not list as final goes to another rail (failover.ts);
 * 2. a payment whose submission had an unclear outcome is sent again under its reference, to the same rail only;
 * 3. a refund is requested again (deposits/refunds.ts);
 * 4. a collection whose time is over fails with EXPIRED;
 * 5. a rail that said "reference exists", or that reported the end of the payment, contradicts itself, and our staff
 *    are told.
 *
 * Do not shorten it: 1 and 3 would pay twice where a provider shows a payment later than that, and 2 where such a
 * provider also accepts a reference twice. 4 would only expire collections whose money then comes late, and 5 would
 * only call our staff too early.
 *
 * It must be longer than any lease, so that a process that still holds one cannot send what another process sends again:
 * executor.ts asserts it for payments (at Monnify, whose submissions take longest, a claim leases for 155 s); a refund is
 * leased for 5 minutes. A payout is queried 5 s, 35 s, 2:35, 7:35, 12:35 and 17:35 after it was sent (`absenceLookMs`,
 * payments/execution/schedule.ts), so a grace period that begins with the first query ends with the last of these.
 */
export const absenceGraceMs = 15 * minuteMs

// Maps a provider's free text to the reason why a bank transfer failed. The text decides only the reason; a status of
// the provider has already decided that the transfer failed.

const reasonPatterns: [RegExp, BankFailureReason][] = [
  [/dormant/, 'DORMANT_ACCOUNT'],
  [/name mismatch/, 'ACCOUNT_NAME_MISMATCH'],
  [/invalid destination account|invalid account|could not be validated/, 'INVALID_ACCOUNT'],
  [/post no credit|not permitted|restrict/, 'ACCOUNT_RESTRICTED'],
  // Must not match LIMITED, with which names of companies end.
  [/\blimits?\b/, 'LIMIT_EXCEEDED'],
  [/fraud|watchlist/, 'SUSPECTED_FRAUD'],
  [/do not honou?r|rejected by destination/, 'DO_NOT_HONOR'],
  [/unknown destination bank|bank code/, 'BANK_NOT_FOUND'],
  [/bank not available|timed out|unable to complete/, 'BANK_UNAVAILABLE'],
  [/invalid amount/, 'INVALID_TRANSACTION'],
]

export function failureReasonIn(text: string): BankFailureReason {
  const lower = text.toLowerCase()
  return reasonPatterns.find(([pattern]) => pattern.test(lower))?.[1] ?? 'PROVIDER_ERROR'
}

/**
 * Returns true if the payee or the payment is at fault, so that a retry fails as well. Other failures come from a bank
 * or provider and may pass.
 */
export function isPayeesFault(reason: BankFailureReason): boolean {
  return reason !== 'PROVIDER_ERROR' && reason !== 'BANK_UNAVAILABLE'
}

export const bankFailureMessages: Record<BankFailureReason, string> = {
  INVALID_ACCOUNT:
    'No such account at this bank. Check the account number and the bank, then send it under a new reference.',
  ACCOUNT_NAME_MISMATCH:
    'The account belongs to another name. Resolve the account, correct the name and use a new reference.',
  DORMANT_ACCOUNT: 'The account is dormant. Ask the recipient to reactivate it, or for another account.',
  ACCOUNT_RESTRICTED:
    'The account may not receive this payment. Ask the recipient to speak to the bank, or for another account.',
  DO_NOT_HONOR: 'The bank refused without a reason. Ask the recipient to speak to the bank, or for another account.',
  INVALID_TRANSACTION: 'The bank does not allow this transaction. Check the details with the recipient.',
  BANK_NOT_FOUND: 'The bank cannot be reached through this network. Choose another bank of the recipient.',
  BANK_UNAVAILABLE: "The recipient's bank is down. Try again later under a new reference.",
  LIMIT_EXCEEDED:
    'The amount is over a limit of the recipient or the bank. Send less at a time, or ask for another account.',
  SUSPECTED_FRAUD: 'The bank suspects fraud and refused. Do not retry; contact support with the reference.',
  INSUFFICIENT_BALANCE:
    'The payout account lacks funds. Contact support with the reference; a later payment may succeed.',
  DUPLICATE: 'The provider holds this for a duplicate. Check whether it was paid already before sending it again.',
  PROVIDER_ERROR:
    'The provider could not process it. Try again later under a new reference; contact support if it goes on.',
}

export const momoFailureMessages: Record<MomoFailureReason, string> = {
  PAYER_NOT_FOUND: 'The operator knows no wallet of this number. Check number and operator, then use a new reference.',
  RECIPIENT_NOT_FOUND:
    'The operator knows no wallet of this number. Check number and operator, then use a new reference.',
  PAYMENT_NOT_APPROVED: 'The payer did not approve the payment. Ask the payer, then ask again under a new reference.',
  INSUFFICIENT_FUNDS: 'The wallet lacks funds. Ask the payer to top it up, then ask again under a new reference.',
  LIMIT_EXCEEDED: 'The amount is over a limit of the wallet or the operator. Use a smaller amount and a new reference.',
  WALLET_LIMIT_REACHED: 'The wallet can hold no more. Ask its owner to spend from it, or use another way to pay.',
  OPERATOR_UNAVAILABLE: 'The operator is down. Try again later under a new reference.',
  OTP_EXPIRED: 'The right code was not given in time. Start again with a new reference, and a new code is sent.',
  OTP_ATTEMPTS_EXCEEDED: 'Three wrong codes were given. Ask again under a new reference, and a new code is sent.',
  EXPIRED: 'The payer did not answer in time. Nothing was collected; ask again under a new reference.',
  UNSPECIFIED_FAILURE:
    'The operator gave no reason. Try again later under a new reference; contact support if it goes on.',
}
