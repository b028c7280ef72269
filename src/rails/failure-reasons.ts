// Maps a provider's free text to the reason why a bank transfer failed. The text decides only the reason; a status of
// the provider has already decided that the transfer failed.

import type { BankFailureReason, MomoFailureReason } from './rail.ts'

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

/**
 * The payee or the payment is at fault, so a retry fails as well. Other failures come from a bank or provider and may
 * pass.
 */
export function isPayeesFault(reason: BankFailureReason): boolean {
  return reason !== 'PROVIDER_ERROR' && reason !== 'BANK_UNAVAILABLE'
}

/**
 * A sentence for each failure reason: why the payment failed and what the business can do next. It appears in the
 * payment's record and in the example of a payment.
 */
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
