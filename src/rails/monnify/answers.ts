// Of Monnify's answers what we read, strictly; what else they hold may change.

import { z } from 'zod'
import { koboOf } from '#rails/naira.ts'

/** A number in one answer and a text in another, in naira. */
const naira = z.union([z.int(), z.string()]).transform((written, context) => {
  const kobo = koboOf(written)
  if (kobo !== undefined) return kobo
  context.addIssue('not an amount of naira')
  return z.NEVER
})

/** The wallet may owe. */
const balance = z.union([z.int(), z.string()]).transform((written, context): bigint => {
  const [, minus = '', digits = ''] = /^(-?)(.*)$/.exec(String(written)) ?? []
  const kobo = koboOf(digits)
  if (kobo !== undefined) return minus === '' ? kobo : -kobo
  context.addIssue('not an amount of naira')
  return z.NEVER
})

export const loginBody = z.object({ accessToken: z.string().min(1), expiresIn: z.int().positive() })

export const disbursementBody = z.object({
  reference: z.string(),
  amount: naira,
  currency: z.string().nullish(),
  destinationAccountNumber: z.string().nullish(),
  destinationBankCode: z.string().nullish(),
  status: z.string(),
  transactionDescription: z.string().nullish(),
  comment: z.string().nullish(),
  sessionId: z.string().nullish(),
  fee: naira.nullish(),
  totalFee: naira.nullish(),
})
export type Disbursement = z.output<typeof disbursementBody>

/** Pages are counted from 0. */
export const listBody = z.object({ content: z.array(z.unknown()), last: z.boolean() })

export const listedDisbursement = disbursementBody.extend({
  transactionReference: z.string().min(1).nullish(),
  createdOn: z.string().nullish(),
  dateCreated: z.string().nullish(),
})

export const holderBody = z.object({ accountNumber: z.string(), accountName: z.string().nullable() })

export const balanceBody = z.object({ availableBalance: naira })

const source = z.object({ accountName: z.string().nullish(), accountNumber: z.string().nullish() })
export type Source = z.output<typeof source>

export const transactionBody = z.object({
  transactionReference: z.string(),
  amountPaid: naira,
  currency: z.string(),
  paymentStatus: z.string(),
  paidOn: z.string().nullish(),
  paymentMethod: z.string().nullish(),
  paymentDescription: z.string().nullish(),
  product: z.object({ type: z.string(), reference: z.string() }).nullish(),
  accountDetails: source.nullish(),
})

export type Transaction = z.output<typeof transactionBody>

/** Samples show a list that tells less than the transaction itself: then `amount` is what was to be paid. */
export const listedTransaction = transactionBody.extend({
  amountPaid: naira.nullish(),
  amount: naira.nullish(),
  currency: z.string().nullish(),
  currencyCode: z.string().nullish(),
  completedOn: z.string().nullish(),
  transactionDate: z.string().nullish(),
  settlementAmount: naira.nullish(),
  destinationAccountInformation: z.object({ accountNumber: z.string().optional() }).nullish(),
})

export const walletRow = z.object({
  walletTransactionReference: z.string().min(1),
  monnifyTransactionReference: z.string().nullish(),
  amount: naira,
  availableBalanceAfter: balance,
  transactionType: z.enum(['CREDIT', 'DEBIT']),
  transactionDate: z.string(),
})

export const reservedBody = z.object({
  accountReference: z.string(),
  accounts: z.array(
    z.object({
      bankCode: z.string().nullish(),
      bankName: z.string().nullish(),
      accountNumber: z.string(),
      accountName: z.string().nullish(),
    }),
  ),
})

export const invoiceBody = z.object({
  invoiceReference: z.string(),
  amount: naira,
  accountNumber: z.string(),
  accountName: z.string(),
  bankName: z.string(),
  bankCode: z.string().nullish(),
  expiryDate: z.string().nullish(),
})

export const refundBody = z.object({
  refundReference: z.string(),
  transactionReference: z.string().nullish(),
  refundAmount: naira,
  refundStatus: z.string(),
})

export const noticeBody = z.object({ eventType: z.string().min(1), eventData: z.record(z.string(), z.unknown()) })

/** The source is a list, one object, or an object with nothing in it. */
export const transactionNotice = z.object({
  transactionReference: z.string().min(1),
  paymentMethod: z.string(),
  destinationAccountInformation: z.object({ accountNumber: z.string().optional() }).nullish(),
  paymentSourceInformation: z.union([z.array(source), source]).nullish(),
})
export type TransactionNotice = z.output<typeof transactionNotice>
