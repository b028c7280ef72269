// Money that came in at Paystack, as "Verify Transaction" shows it.

export type PaystackPayment = {
  reference: string
  id: string
  amount: number
  accountNumber?: string
  status?: string
  paidAtMs?: number
  /** Older answers name the account only here. */
  isInMetadata?: boolean
  /** If it is given without an account, the money came to a customer's account that the answer does not name. */
  customerEmail?: string
}

const usuallyPaidAtMs = Date.parse('2026-01-15T09:30:00.000Z')

/**
 * The JSON is text, because the id is beyond the exact integers of JavaScript. A charge by transfer names no account.
 */
export function transactionText(payment: PaystackPayment): string {
  const {
    reference,
    id,
    amount,
    accountNumber,
    status = 'success',
    paidAtMs = usuallyPaidAtMs,
    isInMetadata = false,
    customerEmail,
  } = payment
  const isCharge = accountNumber === undefined && customerEmail === undefined
  const channel = isCharge ? 'bank_transfer' : 'dedicated_nuban'
  const customer = customerEmail === undefined ? null : { id: 7, email: customerEmail }
  const authorization = {
    sender_name: 'ADA OBI',
    sender_bank: null,
    sender_bank_account_number: 'XXXXXX6789',
    ...(accountNumber === undefined || isInMetadata ? {} : { receiver_bank_account_number: accountNumber }),
    narration: 'order 7',
  }
  const metadata = isInMetadata ? { receiver_account_number: accountNumber } : ''
  return `{"status":true,"message":"Verification successful","data":{"id":${id},"reference":"${reference}","amount":${amount},"currency":"NGN","status":"${status}","channel":"${channel}","paid_at":"${new Date(paidAtMs).toISOString()}","metadata":${JSON.stringify(metadata)},"customer":${JSON.stringify(customer)},"authorization":${JSON.stringify(authorization)}}}`
}
