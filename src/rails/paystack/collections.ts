// Collections from wallets, which Paystack calls charges. The payer approves on the handset within 180 seconds, or with a
// code that the payer makes first and that we hand on. The answer to a charge only says what the payer has to do; the
// transaction, read by our reference, says whether the money was taken.

import type { Clock } from '#platform/clock.ts'
import { secondMs } from '#platform/durations.ts'
import { toMoney, toWire } from '#platform/money.ts'
import { detailOf, mayLeaveBy, ofQuestion } from '#rails/outcome.ts'
import type {
  CollectionOrder,
  CollectionState,
  MomoCollection,
  MomoFailureReason,
  NotFound,
  OtpAnswer,
  RailOperator,
} from '#rails/rail.ts'
import { chargeStatus, transactionData, type TransactionData } from './answers.ts'
import type { PaystackCall } from './call.ts'
import {
  codeAt,
  currencyIn,
  nationalNumberOf,
  roundedFromSubunits,
  toSubunits,
  type PaystackCountry,
} from './countries.ts'

export type PaystackCollections = {
  call: PaystackCall
  clock: Clock
  country: PaystackCountry
  /** Paystack identifies the customer of a charge by an email address. */
  emailDomain: string
  submitMs: number
}

/** Documentation, "Payment channels": the payer approves within this time. */
const approvalMs = 180 * secondMs
const leaseSlackMs = 5_000

/** Operators whose payers approve on a page, which this service cannot show. */
const pageProviders = ['wave']

type InProgress = Exclude<CollectionState, { kind: 'otp-required' }>

export function createMomoCollection(collections: PaystackCollections): MomoCollection {
  const { country, submitMs } = collections
  return {
    submitLeaseMs: submitMs + leaseSlackMs,
    serves: (operator) => providerOf(operator, country) !== undefined,
    approval: ({ operator }) => (operator.requiresOtp ? { kind: 'otp', validMs: approvalMs } : { kind: 'handset' }),
    submit: (order) => submit(collections, order),
    status: (order) => ask(collections, order),
    submitOtp: (order, code) => submitCode(collections, order, code),
  }
}

function providerOf(operator: RailOperator, country: PaystackCountry): string | undefined {
  const provider = codeAt(operator, country, 'paystackChargeProvider')
  return provider === undefined || pageProviders.includes(provider) ? undefined : provider
}

async function submit(collections: PaystackCollections, order: CollectionOrder): Promise<CollectionState> {
  const { call, clock, country, emailDomain, submitMs } = collections
  const { railReference: reference, operator, phoneNumber } = order
  const provider = providerOf(operator, country)
  const phone = country === 'KE' ? phoneNumber : nationalNumberOf(phoneNumber, country)
  if (provider === undefined || phone === undefined || order.currency !== currencyIn[country])
    return { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE' }
  const said = await call({
    endpoint: 'charge',
    tenantId: order.tenantId,
    method: 'POST',
    path: '/charge',
    timeoutMs: submitMs,
    mayLeave: mayLeaveBy(order, clock),
    body: {
      email: `${reference}@${emailDomain}`,
      amount: toWire(toSubunits(order.amount, order.currency)),
      currency: order.currency,
      reference,
      mobile_money: { phone, provider },
    },
  })
  if (said.kind === 'unknown') return said
  if (said.kind === 'success') return afterCharge(said.data, order)
  const isRepeated = said.code === 'duplicate_reference' || /duplicate transaction reference/i.test(said.message)
  if (isRepeated) return { kind: 'pending', askAgainAfterMs: 0, exists: true }
  return { kind: 'unknown', detail: detailOf('charge', said), why: 'refused' }
}

function afterCharge(data: unknown, order: CollectionOrder): CollectionState {
  const charge = chargeStatus.safeParse(data).data
  if (charge?.reference !== order.railReference)
    return { kind: 'unknown', detail: 'charge: an answer about something else, or not whole' }
  switch (charge.status) {
    case 'pay_offline':
    case 'pending':
      return { kind: 'pending' }
    case 'send_otp':
      return { kind: 'otp-required', expiresAtMs: codeExpiryOf(order) }
    case 'success':
    case 'failed':
      return { kind: 'pending', askAgainAfterMs: 0 }
    case 'open_url':
      return { kind: 'unknown', detail: 'charge: the payer would have to open a page of the operator' }
    default:
      return { kind: 'unknown', detail: 'charge: an unknown status' }
  }
}

const codeExpiryOf = ({ submittedAtMs }: CollectionOrder): number => submittedAtMs + approvalMs

async function ask(collections: PaystackCollections, order: CollectionOrder): Promise<CollectionState | NotFound> {
  const { call, clock } = collections
  const path = `/transaction/verify/${encodeURIComponent(order.railReference)}`
  const askedAtMs = clock.now()
  const said = await call({ endpoint: 'verify-transaction', tenantId: order.tenantId, method: 'GET', path })
  if (said.kind === 'unknown') return ofQuestion(said)
  if (said.kind === 'refusal') {
    const { status, code, message } = said
    const isNotFound = code === 'transaction_not_found' || /reference not found/i.test(message)
    // The documentation gives no HTTP status for this error. Programs that use Paystack report 404 and 400.
    const isMissing = isNotFound && (status === 404 || status === 400)
    return isMissing ? { kind: 'not-found' } : { kind: 'unknown', detail: detailOf('verify-transaction', said) }
  }
  const data = transactionData.safeParse(said.data).data
  if (data?.reference !== order.railReference)
    return { kind: 'unknown', detail: 'verify-transaction: an answer about something else, or not whole' }
  if (data.amount !== toSubunits(order.amount, order.currency) || data.currency !== order.currency) {
    const detail = 'verify-transaction: a charge of another amount or currency'
    return { kind: 'unknown', detail, why: 'mismatch' }
  }
  return stateOf(data, order, askedAtMs)
}

function stateOf(data: TransactionData, order: CollectionOrder, askedAtMs: number): CollectionState {
  switch (data.status) {
    case 'success': {
      const cost = toMoney(roundedFromSubunits(data.fees ?? 0n, order.currency))
      return { kind: 'succeeded', operatorReference: data.receipt_number ?? null, cost }
    }
    case 'failed':
    case 'reversed':
      return { kind: 'failed', reason: reasonOf(data) }
    // Paystack's status of an unpaid charge, also while the payer may still approve it.
    case 'abandoned':
      return isOver(order, askedAtMs) ? { kind: 'failed', reason: 'EXPIRED' } : waiting(order)
    case 'ongoing':
    case 'pending':
    case 'processing':
    case 'queued':
      return waiting(order)
    default:
      return { kind: 'unknown', detail: 'verify-transaction: an unknown status' }
  }
}

/** While we wait for the payer's code, the collection expires when the code does. */
function waiting(order: CollectionOrder): CollectionState {
  const waitsForCode = order.operator.requiresOtp && order.otpAcceptedAtMs === null
  return waitsForCode ? { kind: 'otp-required', expiresAtMs: codeExpiryOf(order) } : { kind: 'pending' }
}

function isOver({ submittedAtMs, expiresAtMs = Infinity }: CollectionOrder, nowMs: number): boolean {
  return nowMs >= Math.max(expiresAtMs, submittedAtMs + approvalMs)
}

/** Paystack documents no list of its texts for failed charges. The texts decide only the reason of the failure. */
const reasons: [RegExp, MomoFailureReason][] = [
  [/insufficient/i, 'INSUFFICIENT_FUNDS'],
  [/limit/i, 'LIMIT_EXCEEDED'],
  [/declin|cancel|not approved|time(d)? ?out|expired/i, 'PAYMENT_NOT_APPROVED'],
]

function reasonOf({ gateway_response: response }: TransactionData): MomoFailureReason {
  return reasons.find(([says]) => says.test(response ?? ''))?.[1] ?? 'UNSPECIFIED_FAILURE'
}

async function submitCode({ call }: PaystackCollections, order: CollectionOrder, otp: string): Promise<OtpAnswer> {
  const body = { otp, reference: order.railReference }
  const said = await call({ endpoint: 'submit-otp', method: 'POST', path: '/charge/submit_otp', body })
  if (said.kind === 'unknown') return said
  if (said.kind === 'refusal') {
    if (/expired/i.test(said.message)) return { kind: 'expired' }
    const isWrong = /(invalid|incorrect|wrong) (otp|token|code|voucher)/i.test(said.message)
    return isWrong ? { kind: 'wrong' } : { kind: 'unknown', detail: detailOf('submit-otp', said) }
  }
  const state = afterCharge(said.data, order)
  // Paystack asks for the code again, so this one was wrong.
  if (state.kind === 'otp-required') return { kind: 'wrong' }
  return state.kind === 'unknown' ? state : { kind: 'accepted', state: state satisfies InProgress }
}
