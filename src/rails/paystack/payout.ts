// Transfers: to banks, and to wallets, which in Nigeria are banks of their own. The reference is ours, so the same order is
// the same transfer however often it is sent; what became of it is asked under the same reference.

import type { Clock } from '#base/clock.ts'
import { toKobo, toWire, type Kobo } from '#base/money.ts'
import { detailOf, emptyFloat, mayLeaveBy, ofQuestion } from '#rails/outcome.ts'
import type {
  BankFailureReason,
  BankPayout,
  MomoOrder,
  MomoPayout,
  MomoPayoutState,
  NotFound,
  PayoutOrder,
  PayoutState,
  Unknown,
} from '#rails/rail.ts'
import { plainNarration } from '#rails/text.ts'
import { failureReasonIn } from '#rails/words.ts'
import { transferData, type TransferData } from './answers.ts'
import type { Call, Said } from './call.ts'
import type { Payee, Recipients } from './recipients.ts'
import { finalReasonOf, isShortOfMoney } from './refusals.ts'
import { momoReasonOf, walletOf } from './wallets.ts'

export type Transfers = {
  call: Call
  recipients: Recipients
  clock: Clock
  submitMs: number
  /** Of everything but a submission. */
  readMs: number
}

type Order = Pick<PayoutOrder, 'railReference' | 'amount' | 'narration' | 'submittedAtMs' | 'leaveBeforeMs'> & {
  payee: Payee
}

const leaseSlackMs = 5_000

/** A recipient and the transfer, both once more when Paystack forgot the recipient. */
const leaseMsOf = ({ submitMs, readMs }: Transfers): number => 2 * (readMs + submitMs) + leaseSlackMs

export function createPayout(transfers: Transfers): BankPayout {
  const asTransfer = ({ bank, accountNumber, accountName, ...order }: PayoutOrder): Order => ({
    ...order,
    payee: { bankCode: bank.code, accountNumber, name: accountName },
  })
  return {
    submitLeaseMs: leaseMsOf(transfers),
    submit: (order) => submit(transfers, asTransfer(order)),
    status: (order) => ask(transfers, asTransfer(order)),
  }
}

export function createMomoPayout(transfers: Transfers): MomoPayout {
  return {
    submitLeaseMs: leaseMsOf(transfers),
    async submit(order) {
      const payee = walletOf(order)
      if (payee === undefined) return { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false }
      return asMomo(await submit(transfers, { ...order, payee }))
    },
    async status(order: MomoOrder) {
      const payee = walletOf(order)
      if (payee === undefined) return { kind: 'unknown', detail: 'the operator has no bank code at Paystack any more' }
      const state = await ask(transfers, { ...order, payee })
      return state.kind === 'not-found' ? state : asMomo(state)
    },
  }
}

function asMomo(state: PayoutState): MomoPayoutState {
  switch (state.kind) {
    case 'failed':
      // Without `created: false`: several of the payee's own faults are unspecified here, and no other rail may have those.
      return { kind: 'failed', reason: momoReasonOf(state.reason) }
    case 'succeeded': {
      const { sessionId: operatorReference, cost } = state
      return { kind: 'succeeded', operatorReference, ...(cost === undefined ? {} : { cost }) }
    }
    case 'reversed':
      return { kind: 'reversed', operatorReference: state.sessionId }
    case 'pending':
    case 'unknown':
      return state
  }
}

async function submit(transfers: Transfers, order: Order): Promise<PayoutState> {
  const first = await send(transfers, order)
  if (first.kind !== 'forgotten') return first
  transfers.recipients.forget(order.payee)
  const second = await send(transfers, order)
  return second.kind === 'forgotten' ? second.refused : second
}

/** The recipient's code is none, so nothing was paid. Of a code that Paystack has just given, that proves nothing. */
type Forgotten = { kind: 'forgotten'; refused: Unknown }

async function send(transfers: Transfers, order: Order): Promise<PayoutState | Forgotten> {
  const { call, recipients } = transfers
  const recipient = await recipients.codeOf(order.payee)
  if (recipient.kind !== 'known') return recipient
  const said = await call({
    endpoint: 'transfer',
    method: 'POST',
    path: '/transfer',
    timeoutMs: transfers.submitMs,
    mayLeave: mayLeaveBy(order, transfers.clock),
    body: {
      source: 'balance',
      amount: toWire(order.amount),
      recipient: recipient.code,
      reference: order.railReference,
      reason: plainNarration(order.narration),
      currency: 'NGN',
    },
  })
  if (said.kind === 'unknown') return said
  return said.kind === 'success' ? stateIn(said.data, order, codeRequired) : afterRefusal(said)
}

/**
 * The transfer is there, and a person can still let it go with the code: so it does not count as unsent, and is never sent
 * again. Paystack abandons it after half an hour, and then it has failed.
 */
const codeRequired: Unknown = {
  kind: 'unknown',
  detail: 'transfer: it waits for a one-time code; switch one-time codes for transfers off at Paystack',
  why: 'misconfigured',
}

function afterRefusal(refusal: Extract<Said, { kind: 'refusal' }>): PayoutState | Forgotten {
  const { code, message } = refusal
  // It has a transfer of this reference: ours. What became of it the next question tells.
  if (code === 'duplicate_transfer_reference' || /reference already exists/i.test(message))
    return { kind: 'pending', askAgainAfterMs: 0, exists: true }
  const refused: Unknown = { kind: 'unknown', detail: detailOf('transfer', refusal), why: 'refused' }
  if (code === 'invalid_transfer_recipient' || /recipient specified is invalid/i.test(message))
    return { kind: 'forgotten', refused }
  if (isShortOfMoney(refusal)) return emptyFloat('the balance at Paystack, or the limit of the day, is not enough')
  const reason = finalReasonOf(refusal)
  return reason === undefined ? refused : { kind: 'failed', reason, created: false }
}

async function ask({ call }: Transfers, order: Order): Promise<PayoutState | NotFound> {
  const path = `/transfer/verify/${encodeURIComponent(order.railReference)}`
  const said = await call({ endpoint: 'verify-transfer', method: 'GET', path })
  // A transfer that was made before one-time codes were switched off says nothing about the account as it is now.
  if (said.kind === 'success') return stateIn(said.data, order, { kind: 'pending' })
  if (said.kind === 'unknown') return ofQuestion(said)
  const { status: http, code, message } = said
  const isMissing = http === 404 && (code === 'transfer_not_found' || /transfer not found/i.test(message))
  return isMissing
    ? { kind: 'not-found' }
    : { kind: 'unknown', detail: `verify-transfer: refused with ${http} ${code}` }
}

function stateIn(data: unknown, order: Order, whileCodeRequired: PayoutState): PayoutState {
  const transfer = transferData.safeParse(data).data
  if (transfer === undefined)
    return { kind: 'unknown', detail: 'Paystack answered without a transfer that can be read' }
  const isOurs =
    transfer.reference === order.railReference && transfer.amount === order.amount && transfer.currency === 'NGN'
  if (!isOurs) {
    const detail = 'Paystack answered about another transfer'
    return { kind: 'unknown', detail, ...(transfer.reference === order.railReference ? { why: 'mismatch' } : {}) }
  }
  const { account_number: number, bank_code: bankCode } = transfer.recipient?.details ?? {}
  const { payee } = order
  // The same number is another person's at another bank.
  if ((number ?? payee.accountNumber) !== payee.accountNumber || (bankCode ?? payee.bankCode) !== payee.bankCode)
    return {
      kind: 'unknown',
      detail: 'Paystack shows a transfer to another account than ours; look at it there',
      why: 'mismatch',
    }
  return transfer.status === 'otp' ? whileCodeRequired : wordOf(transfer)
}

function wordOf(transfer: TransferData): PayoutState {
  switch (transfer.status) {
    case 'pending':
    case 'received':
      return { kind: 'pending' }
    case 'success':
      return { kind: 'succeeded', sessionId: sessionIdOf(transfer), ...costOf(transfer) }
    case 'failed':
      return { kind: 'failed', reason: reasonOf(transfer) }
    case 'abandoned':
    case 'blocked':
    case 'rejected':
      return { kind: 'failed', reason: 'PROVIDER_ERROR' }
    case 'reversed':
      return { kind: 'reversed', sessionId: sessionIdOf(transfer) }
    default:
      return { kind: 'unknown', detail: 'Paystack answered with a status word that is not known' }
  }
}

function reasonOf({ failures, gateway_response: response }: TransferData): BankFailureReason {
  return failureReasonIn(`${JSON.stringify(failures ?? '')} ${response ?? ''}`)
}

function costOf({ fee_charged: fee }: TransferData): { cost?: Kobo } {
  return fee === undefined || fee === null ? {} : { cost: toKobo(fee) }
}

function sessionIdOf({ session }: TransferData): string | null {
  const id = session?.id ?? ''
  return /^\d{30}$/.test(id) ? id : null
}
