// The reasons why payments fail. The types require every reason that the API lists.

import type { MomoTransfer, Transfer } from './schema.ts'

type Reason<Row extends { failureReason: string | null }> = NonNullable<Row['failureReason']>

export const reasonsOfBanks: Record<Reason<Transfer>, true> = {
  INVALID_ACCOUNT: true,
  ACCOUNT_NAME_MISMATCH: true,
  DORMANT_ACCOUNT: true,
  ACCOUNT_RESTRICTED: true,
  DO_NOT_HONOR: true,
  INVALID_TRANSACTION: true,
  BANK_NOT_FOUND: true,
  BANK_UNAVAILABLE: true,
  LIMIT_EXCEEDED: true,
  SUSPECTED_FRAUD: true,
  INSUFFICIENT_BALANCE: true,
  DUPLICATE: true,
  PROVIDER_ERROR: true,
}

export const reasonsOfWallets: Record<Reason<MomoTransfer>, true> = {
  PAYER_NOT_FOUND: true,
  RECIPIENT_NOT_FOUND: true,
  PAYMENT_NOT_APPROVED: true,
  INSUFFICIENT_FUNDS: true,
  LIMIT_EXCEEDED: true,
  WALLET_LIMIT_REACHED: true,
  OPERATOR_UNAVAILABLE: true,
  OTP_EXPIRED: true,
  OTP_ATTEMPTS_EXCEEDED: true,
  EXPIRED: true,
  UNSPECIFIED_FAILURE: true,
}
