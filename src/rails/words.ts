// Why a bank transfer failed, from a provider's free text. The text decides the reason alone, and only after a status word
// of the provider has decided that it failed.

import type { BankFailureReason } from './rail.ts'

const words: [RegExp, BankFailureReason][] = [
  [/dormant/, 'DORMANT_ACCOUNT'],
  [/name mismatch/, 'ACCOUNT_NAME_MISMATCH'],
  [/invalid destination account|invalid account|could not be validated/, 'INVALID_ACCOUNT'],
  [/post no credit|not permitted|restrict/, 'ACCOUNT_RESTRICTED'],
  // A name may end with LIMITED.
  [/\blimits?\b/, 'LIMIT_EXCEEDED'],
  [/fraud|watchlist/, 'SUSPECTED_FRAUD'],
  [/do not honou?r|rejected by destination/, 'DO_NOT_HONOR'],
  [/unknown destination bank|bank code/, 'BANK_NOT_FOUND'],
  [/bank not available|timed out|unable to complete/, 'BANK_UNAVAILABLE'],
  [/invalid amount/, 'INVALID_TRANSACTION'],
]

export function failureReasonIn(text: string): BankFailureReason {
  const lower = text.toLowerCase()
  return words.find(([pattern]) => pattern.test(lower))?.[1] ?? 'PROVIDER_ERROR'
}

/** The payee or the payment is at fault, so the failure will not pass. The machine of a bank or provider may recover. */
export function isPayeesFault(reason: BankFailureReason): boolean {
  return reason !== 'PROVIDER_ERROR' && reason !== 'BANK_UNAVAILABLE'
}
