// Schemas of Monnify's responses: the fields that we use are checked strictly, others may change.

import { z } from 'zod'
import { lagosOffsetMs } from '#platform/durations.ts'
import { koboOf } from '#rails/formats.ts'

/** An amount in naira, which is a number in some responses and a string in others. */
const naira = z.union([z.int(), z.string()]).transform((written, context) => {
  const kobo = koboOf(written)
  if (kobo !== undefined) return kobo
  context.addIssue('not an amount of naira')
  return z.NEVER
})

/** The wallet may be overdrawn. */
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

/** Pages are numbered from 0. */
export const listBody = z.object({ content: z.array(z.unknown()), last: z.boolean() })

export const listedDisbursement = disbursementBody.extend({
  transactionReference: z.string().min(1).nullish(),
  createdOn: z.string().nullish(),
  dateCreated: z.string().nullish(),
})

export const holderBody = z.object({ accountNumber: z.string(), accountName: z.string().nullable() })

export const balanceBody = z.object({ availableBalance: balance })

const source = z.object({ accountName: z.string().nullish(), accountNumber: z.string().nullish() })
export type PaymentSource = z.output<typeof source>

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

export type MonnifyTransaction = z.output<typeof transactionBody>

/** In Monnify's samples, lists have fewer fields than the transaction itself. `amount` is the amount due. */
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

/** `paymentSourceInformation` is a list, one object, or an empty object. */
export const transactionNotice = z.object({
  transactionReference: z.string().min(1),
  paymentMethod: z.string(),
  destinationAccountInformation: z.object({ accountNumber: z.string().optional() }).nullish(),
  paymentSourceInformation: z.union([z.array(source), source]).nullish(),
})
export type TransactionNotice = z.output<typeof transactionNotice>

/** Monnify's formats without a zone; we assume Lagos time, which is one hour ahead of UTC all year. */
const byDay = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d(?:\.\d{1,3})?)$/
const byHalf =
  /^(?<day>\d\d)\/(?<month>\d\d)\/(?<year>\d{4}) (?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d)(?: (?<half>[AP]M))?$/
const withZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/

/** The format of Monnify's requests: `2026-11-20 10:00:00`. */
export function lagosTextOf(ms: number): string {
  return new Date(ms + lagosOffsetMs).toISOString().slice(0, 19).replace('T', ' ')
}

export function timeIn(text: string): number | undefined {
  const { year, month, day, hour, minute, second, half } = (byDay.exec(text) ?? byHalf.exec(text))?.groups ?? {}
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'PM' ? 12 : 0)
  const inLagos = `${year}-${month}-${day}T${String(hours).padStart(2, '0')}:${minute}:${second}+01:00`
  const ms = Date.parse(withZone.test(text) ? text : inLagos)
  return Number.isNaN(ms) ? undefined : ms
}
