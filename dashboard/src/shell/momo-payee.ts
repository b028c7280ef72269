// The recipient of a mobile-money payout: a wallet by its phone number, or a business by its till or paybill.

import type { MomoTransfer } from '#api/schema.ts'

type MomoPayee = Pick<MomoTransfer, 'phoneNumber' | 'accountNumber' | 'accountReference'>

/** A paybill has an account number of the payer (`accountReference`), a till has none. */
export function payeeLabelOf({ phoneNumber, accountReference }: MomoPayee): string {
  if (phoneNumber !== null) return 'Phone number'
  return accountReference === null ? 'Till number' : 'Paybill number'
}

export function payeeNumberOf({ phoneNumber, accountNumber }: MomoPayee): string {
  return phoneNumber ?? accountNumber ?? ''
}
