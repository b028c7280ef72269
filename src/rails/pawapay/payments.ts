// Payouts and deposits through pawaPay. The id is our reference, so the same order is the same payment however often it
// is sent, and its status is read by the same id. An id that pawaPay already accepted is answered DUPLICATE_IGNORED;
// we never send a payment under a new id.

import type { Clock } from '#platform/clock.ts'
import {
  type RailRefusal,
  detailOf,
  emptyFloat,
  mayLeaveBy,
  ofQuestion,
  unknownByConfiguration,
} from '#rails/outcome.ts'
import type {
  CancelAnswer,
  MomoFailureReason,
  MomoOrder,
  MomoPayout,
  NotFound,
  PendingStatus,
  RailOperator,
  Unknown,
} from '#rails/rail.ts'
import { amountIn, amountText, paymentData, type PaymentData, statusBody, submittedBody } from './answers.ts'
import { concernsAccount, settingsToCheck, type PawapayCall } from './call.ts'

export type PawapayKind = {
  name: 'payout' | 'deposit'
  id: 'payoutId' | 'depositId'
  party: 'recipient' | 'payer'
  badNumber: MomoFailureReason
}

const payoutKind: PawapayKind = {
  name: 'payout',
  id: 'payoutId',
  party: 'recipient',
  badNumber: 'RECIPIENT_NOT_FOUND',
}
export const depositKind: PawapayKind = {
  name: 'deposit',
  id: 'depositId',
  party: 'payer',
  badNumber: 'PAYER_NOT_FOUND',
}

export type PawapayState =
  | PendingStatus
  | { kind: 'succeeded'; operatorReference: string | null }
  | { kind: 'failed'; reason: MomoFailureReason; created?: false }
  | Unknown

export type PawapayPayments = { call: PawapayCall; clock: Clock; submitMs: number; readMs: number }

/** pawaPay's name for an operator; undefined if pawaPay does not serve the operator. */
export function providerOf({ providerCodes }: RailOperator): string | undefined {
  return providerCodes['pawapay']
}

export const notServed = { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false } as const

/** The answer to a status query for a payout to a till or paybill, which we never send to pawaPay. */
const noBusinesses: Unknown = { kind: 'unknown', detail: 'pawaPay pays no tills and paybills' }

export const leaseSlackMs = 5_000

export function createMomoPayout(payments: PawapayPayments): MomoPayout {
  return {
    submitLeaseMs: payments.submitMs + leaseSlackMs,
    serves: (operator) => providerOf(operator) !== undefined,
    submit: (order) =>
      order.phoneNumber === null ? Promise.resolve(notServed) : submitPayment(payments, payoutKind, order),
    status: (order) =>
      order.phoneNumber === null ? Promise.resolve(noBusinesses) : askPayment(payments, payoutKind, order),
    cancel: (railReference) => cancelQueued(payments.call, railReference),
  }
}

/** Ends a payout that pawaPay has not sent on yet. Its status is then FAILED with MANUALLY_CANCELLED. */
async function cancelQueued(call: PawapayCall, railReference: string): Promise<CancelAnswer> {
  const path = `/v2/payouts/fail-enqueued/${encodeURIComponent(railReference)}`
  const said = await call({ endpoint: 'cancel', method: 'POST', path })
  if (said.kind === 'unknown') return { kind: 'unavailable', detail: said.detail }
  if (said.kind === 'refusal') return { kind: 'refused', why: said.code }
  const answer = submittedBody.safeParse(said.body).data
  if (answer?.status === 'ACCEPTED') return { kind: 'accepted' }
  if (answer?.status === 'REJECTED') return { kind: 'refused', why: answer.failureReason?.failureCode ?? 'REJECTED' }
  return { kind: 'unavailable', detail: 'cancel: an answer that cannot be read' }
}

export async function submitPayment(
  { call, clock, submitMs }: PawapayPayments,
  kind: PawapayKind,
  order: MomoOrder,
  extra: { timeoutMs?: number; preAuthorisationCode?: string } = {},
): Promise<PawapayState> {
  const provider = providerOf(order.operator)
  if (provider === undefined) return notServed
  const { timeoutMs = submitMs, ...code } = extra
  const said = await call({
    endpoint: kind.name,
    tenantId: order.tenantId,
    method: 'POST',
    path: `/v2/${kind.name}s`,
    timeoutMs,
    mayLeave: mayLeaveBy(order, clock),
    body: {
      [kind.id]: order.railReference,
      amount: amountText(order.amount, order.currency),
      currency: order.currency,
      [kind.party]: { type: 'MMO', accountDetails: { phoneNumber: digitsOf(order.phoneNumber), provider } },
      ...messageOf(order.narration),
      ...code,
    },
  })
  if (said.kind === 'unknown') return said
  return said.kind === 'refusal' ? afterRefusal(kind, said) : stateSubmitted(kind, said.body, order)
}

const digitsOf = (phoneNumber: string): string => phoneNumber.slice(1)

const messageLengthMin = 4
const messageLengthMax = 22

/** The text on the customer's own statement: 4 to 22 letters, digits and spaces. A shorter one is left out. */
function messageOf(narration: string | null): { customerMessage?: string } {
  const plain = (narration ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-zA-Z0-9]+/g, ' ')
    .trim()
    .slice(0, messageLengthMax)
    .trim()
  return plain.length < messageLengthMin ? {} : { customerMessage: plain }
}

function stateSubmitted(kind: PawapayKind, body: unknown, { railReference }: MomoOrder): PawapayState {
  const answer = submittedBody.safeParse(body).data
  if (answer?.[kind.id] !== railReference)
    return { kind: 'unknown', detail: `${kind.name}: an answer about another payment, or that cannot be read` }
  switch (answer.status) {
    case 'ACCEPTED':
      return { kind: 'pending' }
    // pawaPay has a payment with this id, which is ours. The next status query shows its state.
    case 'DUPLICATE_IGNORED':
      return { kind: 'pending', askAgainAfterMs: 0, exists: true }
    case 'REJECTED':
      return afterRefusal(kind, { status: 200, code: answer.failureReason?.failureCode ?? '', message: '' })
    default:
      return { kind: 'unknown', detail: `${kind.name}: an unknown status` }
  }
}

/**
 * pawaPay's documentation lists these refusals under "Failure codes": no payment was made. Any other code proves
 * nothing.
 */
function afterRefusal({ name, badNumber }: PawapayKind, refusal: RailRefusal): PawapayState {
  const { code, status } = refusal
  if (concernsAccount(code)) return unknownByConfiguration(name, status, `${settingsToCheck} (${code})`)
  switch (code) {
    case 'INVALID_PHONE_NUMBER':
      return { kind: 'failed', reason: badNumber, created: false }
    case 'AMOUNT_OUT_OF_BOUNDS':
      return { kind: 'failed', reason: 'LIMIT_EXCEEDED', created: false }
    case 'PROVIDER_TEMPORARILY_UNAVAILABLE':
      return { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false }
    case 'PAWAPAY_WALLET_OUT_OF_FUNDS':
      return emptyFloat('the wallet of this country at pawaPay is not enough')
    case 'INVALID_PROVIDER':
    case 'INVALID_CURRENCY':
      return {
        ...unknownByConfiguration(name, status, `the operators and currencies of the account (${code})`),
        concerns: 'operator',
      }
    default:
      return { kind: 'unknown', detail: detailOf(name, { kind: 'refusal', ...refusal }), why: 'refused' }
  }
}

export async function askPayment(
  { call }: PawapayPayments,
  kind: PawapayKind,
  order: MomoOrder,
): Promise<PawapayState | NotFound> {
  const endpoint = `${kind.name}-status` as const
  const path = `/v2/${kind.name}s/${order.railReference}`
  const said = await call({ endpoint, tenantId: order.tenantId, method: 'GET', path })
  if (said.kind === 'unknown') return ofQuestion(said)
  if (said.kind === 'refusal') return { kind: 'unknown', detail: detailOf(endpoint, said) }
  const answer = statusBody.safeParse(said.body).data
  if (answer?.status === 'NOT_FOUND') return { kind: 'not-found' }
  const data = paymentData.safeParse(answer?.data).data
  if (data === undefined)
    return { kind: 'unknown', detail: `${endpoint}: an answer without a payment that can be read` }
  return mismatchIn(kind, data, order) ?? stateOf(data)
}

function mismatchIn(kind: PawapayKind, data: PaymentData, order: MomoOrder): Unknown | undefined {
  if (data[kind.id] !== order.railReference)
    return { kind: 'unknown', detail: `pawaPay answered about another ${kind.name}` }
  const { phoneNumber, phoneNUmber, provider } = data[kind.party]?.accountDetails ?? {}
  const isSameMoney = data.currency === order.currency && amountIn(data.amount, order.currency) === order.amount
  const number = phoneNumber ?? phoneNUmber ?? digitsOf(order.phoneNumber)
  const isSameWallet =
    number === digitsOf(order.phoneNumber) && (provider ?? providerOf(order.operator)) === providerOf(order.operator)
  if (isSameMoney && isSameWallet) return undefined
  const what = isSameMoney ? 'to or from another wallet' : 'of another amount'
  return {
    kind: 'unknown',
    detail: `pawaPay shows a ${kind.name} ${what} than ours; look at it there`,
    why: 'mismatch',
  }
}

function stateOf({ status, providerTransactionId, failureReason }: PaymentData): PawapayState {
  switch (status) {
    case 'ACCEPTED':
    case 'ENQUEUED':
    case 'PROCESSING':
    case 'IN_RECONCILIATION':
      return { kind: 'pending' }
    case 'COMPLETED':
      return { kind: 'succeeded', operatorReference: providerTransactionId ?? null }
    case 'FAILED': {
      const code = failureReason?.failureCode ?? ''
      if (code === 'UNKNOWN_ERROR')
        return { kind: 'unknown', detail: 'pawaPay says failed, and that it does not know why' }
      return { kind: 'failed', reason: reasons.get(code) ?? 'UNSPECIFIED_FAILURE' }
    }
    default:
      return { kind: 'unknown', detail: 'pawaPay answered with an unknown status' }
  }
}

/** Documentation, "Failure codes": failures after the payment was accepted. */
const reasons: ReadonlyMap<string, MomoFailureReason> = new Map(
  Object.entries({
    PAYMENT_NOT_APPROVED: 'PAYMENT_NOT_APPROVED',
    INSUFFICIENT_BALANCE: 'INSUFFICIENT_FUNDS',
    PAYMENT_IN_PROGRESS: 'OPERATOR_UNAVAILABLE',
    TRANSACTION_ALREADY_IN_PROCESS: 'OPERATOR_UNAVAILABLE',
    PROVIDER_TEMPORARILY_UNAVAILABLE: 'OPERATOR_UNAVAILABLE',
    // Our wallet was emptied after the submission. The payment is over, so it cannot wait for the wallet.
    PAWAPAY_WALLET_OUT_OF_FUNDS: 'OPERATOR_UNAVAILABLE',
    PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
    RECIPIENT_NOT_FOUND: 'RECIPIENT_NOT_FOUND',
    PAYER_LIMIT_REACHED: 'LIMIT_EXCEEDED',
    RECIPIENT_LIMIT_REACHED: 'LIMIT_EXCEEDED',
    WALLET_LIMIT_REACHED: 'WALLET_LIMIT_REACHED',
  }),
)
