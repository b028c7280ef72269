// How Paystack refuses a payout, and what each refusal proves. A refusal that is in neither table proves nothing: the transfer
// may have been made all the same.

import type { Refusal } from '#rails/outcome.ts'
import type { BankFailureReason } from '#rails/rail.ts'

/** Final, and the payee's own fault. Nothing was paid. */
const finalRefusals: [RegExp, BankFailureReason][] = [
  // Documentation, "Errors: Transfers": the account of the recipient is on a fraud watchlist.
  [/fraud watchlist/i, 'SUSPECTED_FRAUD'],
  // Documentation, "Errors: Transfers": the bank code does not exist. Live answer: "Unknown bank code: 059".
  [/(unknown|invalid) bank code/i, 'BANK_NOT_FOUND'],
  // Documentation, "Errors: Transfers": the account number is not valid. Live answers about a recipient.
  [/account number is invalid|invalid account number|could not resolve account/i, 'INVALID_ACCOUNT'],
]

export function finalReasonOf({ message }: Refusal): BankFailureReason | undefined {
  return finalRefusals.find(([says]) => says.test(message))?.[1]
}

/** Our account is refused: nothing was done, and every other payout ends like this until an operator changes something. */
const refusalsOfUs: RegExp[] = [
  // Live answers to businesses that are not registered, or whose transfers are switched off.
  /starter business|initiate third party payouts/i,
  // Documentation, "Errors: Transfers": transfers are for registered businesses.
  /only available to registered|transfers are not (enabled|available)/i,
  // Documentation, "IP whitelisting".
  /your ip address/i,
]

export function isAboutUs({ status, message }: Pick<Refusal, 'status' | 'message'>): boolean {
  return status === 401 || status === 403 || refusalsOfUs.some((says) => says.test(message))
}

/**
 * The account has too little for this payout. The limit of a day is treated like the balance and not as a fault of the account:
 * it passes by itself, and a smaller amount or another rail may still have room.
 */
export function isShortOfMoney({ code, message }: Refusal): boolean {
  return code === 'insufficient_balance' || /balance is not enough|daily transfer limit/i.test(message)
}
