// Monnify's notices. The signature covers the received bytes. A notice about a payout only triggers a status query,
// and reported money is read again before it is credited. The sandbox signs nothing, so its entry in RAILS_FILE has the
// trust `reread`. An account in an unsigned notice counts only if Monnify confirms it.

import {
  createInboundNotices,
  isSigned as hasSignature,
  noticeAnswer,
  type RefundReport,
  type ReportedStatus,
  paymentNotice,
} from '#rails/provider.ts'
import type { DepositNotice, InboundAnswer, InboundNotices, Unknown } from '#rails/rail.ts'
import {
  invoiceBody,
  timeIn,
  type MonnifyTransaction,
  noticeBody,
  type PaymentSource,
  reservedBody,
  transactionBody,
  transactionNotice,
  type TransactionNotice,
} from './answers.ts'
import type { MonnifyCall } from './call.ts'

const signatureHeader = 'monnify-signature'

export type NoticeTrust = 'signed' | 'reread'

type MonnifyNoticesOptions = { provider: string; call: MonnifyCall; secretKey: string; trust: NoticeTrust }

export function createNotices({ provider, call, secretKey, trust }: MonnifyNoticesOptions): InboundNotices {
  return createInboundNotices({
    provider,
    verify(headers, rawBody) {
      const given = headers[signatureHeader]
      if (given === undefined && trust === 'reread') return 'unsigned'
      return hasSignature(rawBody, secretKey, String(given).toLowerCase()) ? 'genuine' : 'forged'
    },
    body: noticeBody,
    async interpret({ eventType, eventData }) {
      const says = payoutEvents.get(eventType)
      if (says !== undefined) return paymentNotice(eventData, says)
      if (eventType === 'SUCCESSFUL_TRANSACTION')
        return readDeposit({ provider, call, isSigned: trust === 'signed' }, eventData)
      const refund = refundEvents.get(eventType)
      if (refund !== undefined) return aboutRefund(provider, eventData, refund)
      return noticeAnswer({ about: 'other', name: eventType })
    },
  })
}

const payoutEvents: ReadonlyMap<string, ReportedStatus> = new Map(
  Object.entries({
    SUCCESSFUL_DISBURSEMENT: 'succeeded',
    FAILED_DISBURSEMENT: 'failed',
    REVERSED_DISBURSEMENT: 'reversed',
  }),
)

const refundEvents: ReadonlyMap<string, RefundReport> = new Map(
  Object.entries({
    SUCCESSFUL_REFUND: {},
    FAILED_REFUND: { says: 'failed' },
  }),
)

function aboutRefund(
  provider: string,
  { transactionReference: providerId }: Record<string, unknown>,
  report: RefundReport,
): InboundAnswer {
  return typeof providerId === 'string'
    ? noticeAnswer({ about: 'refund', provider, providerId, ...report })
    : { kind: 'unreadable' }
}

// Reads a deposit from Monnify. A transaction does not name the account that was paid, but a notice may. The account in
// an unsigned notice counts only if Monnify reports that it belongs to the reservation or invoice that was paid.

type MonnifyDepositReader = { provider: string; call: MonnifyCall; isSigned: boolean }

/** Monnify's payment method for money that comes to an account. */
export const byTransfer = 'ACCOUNT_TRANSFER'

export const credited = ['PAID', 'OVERPAID', 'PARTIALLY_PAID']
const ended = ['FAILED', 'EXPIRED', 'CANCELLED', 'USER_CANCELLED', 'ABANDONED', 'REVERSED']

export async function readDeposit(reader: MonnifyDepositReader, eventData: unknown): Promise<InboundAnswer> {
  const notice = transactionNotice.safeParse(eventData).data
  if (notice === undefined) return { kind: 'unreadable' }
  if (notice.paymentMethod !== byTransfer) return other(`transaction by ${notice.paymentMethod}`)
  const said = await reader.call({
    endpoint: 'transaction',
    method: 'GET',
    // The reference contains `|`, which Monnify accepts only encoded.
    path: `/api/v2/transactions/${encodeURIComponent(notice.transactionReference)}`,
  })
  if (said.kind === 'unknown') return unavailable(said.detail, said.askAgainAfterMs)
  if (said.kind === 'refusal') return unavailable(`transaction: refused with ${said.status} ${said.code}`)
  const paid = transactionBody.safeParse(said.body).data
  if (paid?.transactionReference !== notice.transactionReference || paid.currency !== 'NGN')
    return unavailable('transaction: an answer about something else, or not whole')
  const method = paid.paymentMethod ?? byTransfer
  if (method !== byTransfer) return other(`transaction by ${method}`)
  if (ended.includes(paid.paymentStatus)) return other(`transaction that is ${paid.paymentStatus}`)
  const occurredAtMs = timeIn(paid.paidOn ?? '')
  if (!credited.includes(paid.paymentStatus) || occurredAtMs === undefined)
    return unavailable('transaction: not paid yet, or at no time that can be read')
  const account = await accountPaid(reader, notice, paid.product ?? undefined)
  if (account.kind === 'unknown') return unavailable(account.detail, account.askAgainAfterMs)
  const source = (reader.isSigned ? sourceIn(notice) : undefined) ?? paid.accountDetails
  const deposit: DepositNotice = {
    provider: reader.provider,
    providerId: paid.transactionReference,
    account: { number: account.number },
    amount: paid.amountPaid,
    currency: 'NGN',
    status: 'SUCCESSFUL',
    senderAccountName: source?.accountName ?? '',
    senderAccountNumber: source?.accountNumber ?? '',
    senderBankName: '',
    narration: paid.paymentDescription ?? '',
    occurredAtMs,
  }
  return noticeAnswer({ about: 'deposit', deposit })
}

function other(name: string): InboundAnswer {
  return noticeAnswer({ about: 'other', name })
}

function unavailable(detail: string, askAgainAfterMs?: number): InboundAnswer {
  return { kind: 'unavailable', detail, askAgainAfterMs }
}

function sourceIn({ paymentSourceInformation: given }: TransactionNotice): PaymentSource | undefined {
  return Array.isArray(given) ? given[0] : (given ?? undefined)
}

type Product = NonNullable<MonnifyTransaction['product']>

type AccountLookup = { kind: 'account'; number: string } | Unknown

async function accountPaid(
  { call, isSigned }: MonnifyDepositReader,
  notice: TransactionNotice,
  product: Product | undefined,
): Promise<AccountLookup> {
  const number = notice.destinationAccountInformation?.accountNumber
  if (isSigned && number !== undefined) return { kind: 'account', number }
  if (product === undefined) return unproven('the transaction names no reservation')
  const isInvoice = product.type === 'INVOICE'
  const name = encodeURIComponent(product.reference)
  const said = await call(
    isInvoice
      ? { endpoint: 'invoice', method: 'GET', path: `/api/v1/invoice/${name}/details` }
      : { endpoint: 'reserved-account', method: 'GET', path: `/api/v2/bank-transfer/reserved-accounts/${name}` },
  )
  if (said.kind === 'unknown') return said
  if (said.kind === 'refusal') return unproven(`${product.type}: refused with ${said.status} ${said.code}`)
  const numbers = isInvoice
    ? [invoiceBody.safeParse(said.body).data?.accountNumber]
    : (reservedBody.safeParse(said.body).data?.accounts.map(({ accountNumber }) => accountNumber) ?? [])
  // Lists, and some notices, do not name the account. Then it is known only if the reservation has a single account.
  const [only] = numbers.length === 1 ? numbers : []
  const paidInto = number === undefined ? only : numbers.find((one) => one === number)
  return paidInto === undefined
    ? unproven('the account is none of what was paid, or one of several')
    : { kind: 'account', number: paidInto }
}

function unproven(detail: string): Unknown {
  return { kind: 'unknown', detail }
}
