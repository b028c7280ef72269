// Schemas of Paystack's responses: the fields that we use are checked strictly, others may change.

import { z } from 'zod'

/** Some ids exceed 2^53; they are only compared and shown. */
const id = z.union([z.int(), z.string()]).transform(String)
const kobo = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,16}$/)]).transform(BigInt)

export const recipientData = z.object({
  recipient_code: z.string().startsWith('RCP_'),
  details: z.object({ account_number: z.string(), bank_code: z.string() }),
})

const destination = z.object({ account_number: z.string().nullish(), bank_code: z.string().nullish() })

/** The recipient is a number in the response to a submission, and an object in the response to a status query. */
export const transferData = z.object({
  reference: z.string(),
  amount: kobo,
  currency: z.string(),
  status: z.string(),
  recipient: z.object({ details: destination.nullish() }).nullish().catch(null),
  failures: z.unknown().optional(),
  gateway_response: z.string().nullish(),
  session: z.object({ id: z.union([z.string(), z.int()]).transform(String).nullish() }).nullish(),
  fee_charged: kobo.nullish(),
})
export type PaystackTransferData = z.output<typeof transferData>

export const resolvedData = z.object({ account_number: z.string(), account_name: z.string().nullable() })

/** A balance may be negative, because refunds and chargebacks may overdraw it. */
const signed = z.union([z.int(), z.string().regex(/^-?\d{1,17}$/)]).transform(BigInt)

export const balanceData = z.array(z.object({ currency: z.string(), balance: signed }))

const authorization = z.object({
  sender_name: z.string().nullish(),
  sender_bank: z.string().nullish(),
  sender_bank_account_number: z.string().nullish(),
  receiver_bank_account_number: z.string().nullish(),
  narration: z.string().nullish(),
})

export const transactionData = z.object({
  id,
  reference: z.string(),
  amount: kobo,
  currency: z.string(),
  status: z.string(),
  channel: z.string(),
  paid_at: z.string().nullish(),
  paidAt: z.string().nullish(),
  fees: kobo.nullish(),
  gateway_response: z.string().nullish(),
  /** The operator's own reference of a payment by mobile money. */
  receipt_number: z.string().nullish(),
  authorization: authorization.nullish(),
  customer: z.object({ email: z.string().nullish() }).nullish().catch(null),
  /** An object, or an empty string or number. */
  metadata: z.object({ receiver_account_number: z.string().nullish() }).nullish().catch(null),
})
export type TransactionData = z.output<typeof transactionData>

/** Dates have one name in some responses and another in the rest. */
const dated = { createdAt: z.string().nullish(), created_at: z.string().nullish() }

const recipient = z.object({ details: z.object({ account_number: z.string().nullish() }).nullish() })

/** Transfers of other users of the account may lack a reference. The recipient is a number in some responses. */
export const listedTransfer = z.object({
  id,
  reference: z.string().nullish(),
  amount: kobo,
  currency: z.string(),
  status: z.string(),
  fee_charged: kobo.nullish(),
  recipient: recipient.nullish().catch(null),
  ...dated,
})

export const ledgerRow = z.object({
  id,
  balance: signed,
  difference: signed,
  currency: z.string(),
  model_responsible: z.string().nullish(),
  model_row: id.nullish(),
  ...dated,
})

export type LedgerRow = z.output<typeof ledgerRow>

const count = z.union([z.int(), z.string().regex(/^\d{1,9}$/)]).transform(Number)

export const listMeta = z.object({ next: z.string().nullish(), pageCount: count.nullish() })

export const customerData = z.object({ id, customer_code: z.string().startsWith('CUS_'), email: z.string() })

export const dedicatedData = z.object({
  id,
  account_number: z.string(),
  account_name: z.string(),
  bank: z.object({ name: z.string(), slug: z.string() }),
  active: z.boolean(),
  assigned: z.boolean(),
  customer: z.object({ customer_code: z.string() }),
})
export type DedicatedAccount = z.output<typeof dedicatedData>
export const dedicatedAccounts = z.array(dedicatedData)

export const providersData = z.array(z.object({ provider_slug: z.string() }))

export const chargeStatus = z.object({ reference: z.string(), status: z.string() })

export const chargeData = z.object({
  reference: z.string(),
  status: z.string(),
  account_name: z.string(),
  account_number: z.string(),
  account_expires_at: z.iso.datetime({ offset: true }),
  bank: z.object({ name: z.string(), slug: z.string() }),
})

/** The transaction is an id in some responses and an object in others. */
export const refundData = z.object({
  transaction: z.union([id, z.object({ id }).transform((transaction) => transaction.id)]),
  amount: kobo,
  currency: z.string(),
  status: z.string(),
})
export type Refund = z.output<typeof refundData>
export const refundsData = z.array(refundData)

export const noticeBody = z.object({ event: z.string().min(1), data: z.record(z.string(), z.unknown()) })
