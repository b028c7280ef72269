// Paystack's notices. The signature covers the received bytes. A notice about a transfer only triggers a status
// query, and reported money is read again before it is credited.

import { toMoney } from '#platform/money.ts'
import {
  createInboundNotices,
  isSigned,
  noticeAnswer,
  paymentNotice,
  type RefundReport,
  type ReportedStatus,
} from '#rails/provider.ts'
import type { InboundAnswer, InboundNotices, PaidInto } from '#rails/rail.ts'
import { noticeBody, transactionData, type TransactionData } from './answers.ts'
import type { PaystackCall } from './call.ts'

const signatureHeader = 'x-paystack-signature'

type PaystackNoticesOptions = { provider: string; call: PaystackCall; secretKey: string }

export function createNotices({ provider, call, secretKey }: PaystackNoticesOptions): InboundNotices {
  return createInboundNotices({
    provider,
    verify: (headers, rawBody) => (isSigned(rawBody, secretKey, headers[signatureHeader]) ? 'genuine' : 'forged'),
    body: noticeBody,
    async interpret({ event, data }) {
      const says = transferEvents.get(event)
      if (says !== undefined) return paymentNotice(data, says)
      if (event === 'charge.success' && transferChannels.includes(String(data['channel'])))
        return readDeposit(provider, call, data)
      // A collection is known by our reference, as a transfer is.
      if (event === 'charge.success' && data['channel'] === 'mobile_money') return paymentNotice(data, 'succeeded')
      const refund = refundEvents.get(event)
      if (refund !== undefined) return aboutRefund(provider, call, data, refund)
      return noticeAnswer({ about: 'other', name: event })
    },
  })
}

const transferEvents: ReadonlyMap<string, ReportedStatus> = new Map(
  Object.entries({
    'transfer.success': 'succeeded',
    'transfer.failed': 'failed',
    'transfer.reversed': 'reversed',
  }),
)

/** Channels of transfers to a customer's account or to the account of a charge. */
export const transferChannels = ['dedicated_nuban', 'bank_transfer']

/** Other events report that a refund is in progress, which is no news. */
const refundEvents: ReadonlyMap<string, RefundReport> = new Map(
  Object.entries({
    'refund.processed': {},
    'refund.failed': { says: 'failed' },
    'refund.needs-attention': { says: 'needs-attention' },
  }),
)

/** A notice names the transaction by its reference, but refunds use its id, so the transaction is read. */
async function aboutRefund(
  provider: string,
  call: PaystackCall,
  data: Record<string, unknown>,
  report: RefundReport,
): Promise<InboundAnswer> {
  const { transaction_reference: reference } = data
  if (typeof reference !== 'string') return { kind: 'unreadable' }
  const read = await readTransaction(call, reference)
  return read.kind === 'transaction'
    ? noticeAnswer({ about: 'refund', provider, providerId: read.data.id, ...report })
    : read
}

type TransactionLookup =
  | { kind: 'transaction'; data: TransactionData }
  | Extract<InboundAnswer, { kind: 'unavailable' }>

async function readTransaction(call: PaystackCall, reference: string): Promise<TransactionLookup> {
  const path = `/transaction/verify/${encodeURIComponent(reference)}`
  const said = await call({ endpoint: 'verify-transaction', method: 'GET', path })
  if (said.kind === 'unknown')
    return { kind: 'unavailable', detail: said.detail, askAgainAfterMs: said.askAgainAfterMs }
  if (said.kind === 'refusal') return { kind: 'unavailable', detail: `verify-transaction: refused with ${said.status}` }
  const { data } = transactionData.safeParse(said.data)
  return data?.reference === reference
    ? { kind: 'transaction', data }
    : { kind: 'unavailable', detail: 'verify-transaction: an answer about something else' }
}

/** Reads the transaction again by Paystack's reference; only its current state counts. */
export async function readDeposit(
  provider: string,
  call: PaystackCall,
  { reference }: Record<string, unknown>,
): Promise<InboundAnswer> {
  if (typeof reference !== 'string') return { kind: 'unreadable' }
  const read = await readTransaction(call, reference)
  if (read.kind === 'unavailable') return read
  const { data } = read
  if (data.currency !== 'NGN') return { kind: 'unavailable', detail: 'verify-transaction: money in another currency' }
  const paidInto = accountPaid(data)
  const occurredAtMs = Date.parse(data.paid_at ?? data.paidAt ?? '')
  if (ended.includes(data.status)) return noticeAnswer({ about: 'other', name: `charge that is ${data.status}` })
  // The response may lag behind the notice: "abandoned" means a charge that is not paid yet.
  if (data.status !== 'success' || paidInto === undefined || Number.isNaN(occurredAtMs))
    return { kind: 'unavailable', detail: 'verify-transaction: not paid yet, or an answer that is not whole' }
  const account = data.authorization
  return noticeAnswer({
    about: 'deposit',
    deposit: {
      provider,
      providerId: data.id,
      account: paidInto,
      amount: toMoney(data.amount),
      currency: 'NGN',
      status: 'SUCCESSFUL',
      senderAccountName: account?.sender_name ?? '',
      senderAccountNumber: account?.sender_bank_account_number ?? '',
      senderBankName: account?.sender_bank ?? '',
      narration: account?.narration ?? '',
      occurredAtMs,
    },
  })
}

const ended = ['failed', 'reversed']

/** Paystack does not name the account of a charge; the charge's reference, which is ours, identifies it. */
function accountPaid(transaction: TransactionData): PaidInto | undefined {
  const { channel, reference, authorization, metadata, customer } = transaction
  if (channel === 'bank_transfer') return { railReference: reference }
  if (channel !== 'dedicated_nuban') return undefined
  // Older responses name the account only in the metadata.
  const named = [authorization?.receiver_bank_account_number, metadata?.receiver_account_number]
  const number = named.find((one) => typeof one === 'string' && one !== '')
  if (typeof number === 'string') return { number }
  const [, railReference] = emailOfAccount.exec(customer?.email ?? '') ?? []
  return railReference === undefined ? undefined : { railReference }
}

/** Each account has a customer of its own, whose email begins with the reference of the account (accounts.ts). */
const emailOfAccount = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d+)?)@/
