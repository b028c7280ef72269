// Bank transfers through Monnify. The reference is ours, so the same order is the same transfer however often it is
// sent, and its status is read by the same reference. Monnify's documentation advises a new reference if one is
// taken: that would pay twice, so we never do it.

import { createFirstSeen, type FirstSeen } from '#platform/cache.ts'
import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Money } from '#platform/money.ts'
import { failureReasonIn, isPayeesFault, detailOf, emptyFloat, mayLeaveBy, ofQuestion } from '#rails/outcome.ts'
import { nairaOf, plainNarration, shareWord } from '#rails/formats.ts'
import { jsonNumber } from '#rails/provider.ts'
import type { PayoutOrder, PayoutState, Unknown, BankFailureReason, BankPayout, NotFound } from '#rails/rail.ts'
import { disbursementBody, type Disbursement } from './answers.ts'
import type { MonnifyCall, MonnifyAnswer } from './call.ts'
import { bankCodeOf, askHolder } from './directory.ts'

/** Reads the answer to a status query. `failedForMs`: for how long Monnify has reported FAILED to this process. */
function stateIn(body: unknown, order: PayoutOrder, failedForMs: () => number): PayoutState {
  const transfer = transferIn(body, order)
  if ('kind' in transfer) return transfer
  // A transfer made before one-time codes were disabled shows nothing about the account's settings now.
  if (waitingForCode.includes(transfer.status)) return { kind: 'pending' }
  return stateOf(transfer, failedForMs)
}

/**
 * Reads the response to a submission. A failed or reversed transfer counts as pending here, so that the status query
 * decides: it has the reason, and a transfer that fails at first may be paid later (`unclearMs`).
 */
function stateAfterSubmit(body: unknown, order: PayoutOrder): PayoutState {
  const transfer = transferIn(body, order)
  if ('kind' in transfer) return transfer
  if (waitingForCode.includes(transfer.status)) return codeRequired
  const state = stateOf(transfer, () => 0)
  return state.kind === 'failed' || state.kind === 'reversed' ? { kind: 'pending' } : state
}

const waitingForCode = ['PENDING_AUTHORIZATION', 'PENDING_BATCH_AUTHORIZATION', 'OTP_EMAIL_DISPATCH_FAILED']

/**
 * The transfer exists, and our staff can still release it at Monnify with the code. So it does not count as unsent and
 * is never sent again.
 */
const codeRequired: Unknown = {
  kind: 'unknown',
  detail: 'disburse: it waits for a one-time code; switch one-time codes for transfers by API off at Monnify',
  why: 'misconfigured',
}

function transferIn(
  body: unknown,
  { railReference, amount, accountNumber, bank }: PayoutOrder,
): Disbursement | Unknown {
  const transfer = disbursementBody.safeParse(body).data
  if (transfer === undefined) return { kind: 'unknown', detail: 'Monnify answered without a transfer that can be read' }
  const isOurs =
    transfer.reference === railReference && transfer.amount === amount && (transfer.currency ?? 'NGN') === 'NGN'
  if (!isOurs) {
    const detail = 'Monnify answered about another transfer'
    return { kind: 'unknown', detail, ...(transfer.reference === railReference ? { why: 'mismatch' } : {}) }
  }
  const { destinationAccountNumber: number, destinationBankCode: code } = transfer
  // Compares the bank too, because the same account number belongs to another person at another bank.
  const isTheBank = code === undefined || code === null || [bankCodeOf(bank), bank.nipCode].includes(code)
  return isTheBank && (number ?? accountNumber) === accountNumber
    ? transfer
    : {
        kind: 'unknown',
        detail: 'Monnify shows a transfer to another account than ours; look at it there',
        why: 'mismatch',
      }
}

function stateOf(transfer: Disbursement, failedForMs: () => number): PayoutState {
  switch (transfer.status) {
    case 'PENDING':
    case 'AWAITING_PROCESSING':
    case 'IN_PROGRESS':
      return { kind: 'pending' }
    case 'SUCCESS':
    case 'COMPLETED':
      return { kind: 'succeeded', sessionId: sessionIdOf(transfer), ...costOf(transfer) }
    case 'FAILED':
      return failed(transfer, failedForMs)
    case 'EXPIRED':
      // The transfer was not approved in time, so Monnify never paid it.
      return { kind: 'failed', reason: failureReasonIn(textOf(transfer)) }
    case 'REVERSED':
      return { kind: 'reversed', sessionId: sessionIdOf(transfer) }
    default:
      return { kind: 'unknown', detail: 'Monnify answered with an unknown status' }
  }
}

const textOf = ({ transactionDescription, comment }: Disbursement): string =>
  `${transactionDescription ?? ''} ${comment ?? ''}`.trim()

/**
 * Monnify reports FAILED for transfers that it pays a little later, and documents "re-query" for most such messages. So
 * FAILED counts only when Monnify has reported it to one process for this long. The process uses its monotonic clock,
 * because the age of a payment is wrong after the database's clock was set back.
 */
const unclearMs = 30 * minuteMs

function failed(transfer: Disbursement, failedForMs: () => number): PayoutState {
  const text = textOf(transfer)
  if (text === '') return { kind: 'unknown', detail: 'Monnify says failed without a reason, which proves nothing' }
  const reason = failureReasonIn(text)
  return isPayeesFault(reason) || failedForMs() >= unclearMs
    ? { kind: 'failed', reason }
    : { kind: 'unknown', detail: 'Monnify says failed, for a reason that may still pass' }
}

function costOf({ fee, totalFee }: Disbursement): { cost?: Money } {
  const cost = fee ?? totalFee ?? undefined
  return cost === undefined ? {} : { cost }
}

function sessionIdOf({ sessionId }: Disbursement): string | null {
  const id = sessionId ?? ''
  return /^\d{30}$/.test(id) ? id : null
}

type MonnifyTransfers = {
  call: MonnifyCall
  clock: Clock
  wallet: string
  submitMs: number
  readMs: number
  resolveMs: number
}

const leaseSlackMs = 5_000

/** Long enough for a name enquiry and the transfer, each with a login before it and one retry after a refused token. */
const leaseMsOf = ({ submitMs, readMs, resolveMs }: MonnifyTransfers): number =>
  2 * (resolveMs + submitMs) + 4 * readMs + leaseSlackMs

/** Monnify refuses the same amount to the same account under another reference for two minutes. */
const duplicateRestMs = 125_000

export function createPayout(transfers: MonnifyTransfers): BankPayout {
  const failures = createFirstSeen(transfers.clock)
  return {
    submitLeaseMs: leaseMsOf(transfers),
    submit: (order) => submit(transfers, order),
    status: (order) => ask(transfers, failures, order),
  }
}

async function submit(transfers: MonnifyTransfers, order: PayoutOrder): Promise<PayoutState> {
  const { call, wallet, submitMs, resolveMs } = transfers
  const bankCode = bankCodeOf(order.bank)
  if (bankCode === null) return failedFor('BANK_NOT_FOUND')
  const { accountNumber, tenantId } = order
  const holder = await askHolder(call, { bankCode, accountNumber, tenantId, limitMs: resolveMs })
  // A name enquiry moves no money, so even if its result is unknown, the payment may be sent again.
  if (holder.kind === 'unknown') return { ...holder, sent: false }
  if (holder.kind === 'not-found') return failedFor('INVALID_ACCOUNT')
  if (!shareWord(holder.name, order.accountName)) return failedFor('ACCOUNT_NAME_MISMATCH')
  const said = await call({
    endpoint: 'disburse',
    tenantId: order.tenantId,
    method: 'POST',
    path: '/api/v2/disbursements/single',
    timeoutMs: submitMs,
    mayLeave: mayLeaveBy(order, transfers.clock),
    body: {
      amount: jsonNumber(nairaOf(order.amount)),
      reference: order.railReference,
      narration: plainNarration(order.narration),
      destinationBankCode: bankCode,
      destinationAccountNumber: accountNumber,
      destinationAccountName: holder.name,
      currency: 'NGN',
      sourceAccountNumber: wallet,
      async: true,
    },
  })
  if (said.kind === 'unknown') return said
  return said.kind === 'success' ? stateAfterSubmit(said.body, order) : afterRefusal(said)
}

function failedFor(reason: BankFailureReason): PayoutState {
  return { kind: 'failed', reason, created: false }
}

/**
 * The codes are from Monnify's page "Error codes". D03 is final and the payee's fault, and so is D01 ("treat as
 * failed") if its message blames the payee. Any other refusal proves nothing: the transfer may exist anyway.
 */
function afterRefusal(refusal: Extract<MonnifyAnswer, { kind: 'refusal' }>): PayoutState {
  const { code, message } = refusal
  // Monnify has a transfer with this reference, which is ours. The next status query shows its state.
  if (code === 'D05' || /reference already exists|duplicate (transaction )?reference/i.test(message))
    return { kind: 'pending', askAgainAfterMs: 0, exists: true }
  if (code === 'D07') return heldAsDuplicate
  if (code === 'D04') return emptyFloat('the wallet at Monnify is not enough')
  if (code === 'D03') return failedFor('INVALID_ACCOUNT')
  const reason = failureReasonIn(message)
  if (code === 'D01' && isPayeesFault(reason)) return failedFor(reason)
  return { kind: 'unknown', detail: detailOf('disburse', refusal), why: 'refused' }
}

const heldAsDuplicate: Unknown = {
  kind: 'unknown',
  detail: 'Monnify holds back the same amount to the same account for two minutes; ask them to switch that off',
  sent: false,
  askAgainAfterMs: duplicateRestMs,
}

async function ask(
  { call, clock }: MonnifyTransfers,
  failures: FirstSeen,
  order: PayoutOrder,
): Promise<PayoutState | NotFound> {
  const query = new URLSearchParams({ reference: order.railReference })
  const path = `/api/v2/disbursements/single/summary?${query.toString()}`
  const askedAtMs = clock.monotonicMs()
  const said = await call({ endpoint: 'disbursement', tenantId: order.tenantId, method: 'GET', path })
  if (said.kind === 'success') {
    const failure = `${order.railReference} ${order.submittedAtMs}`
    const state = stateIn(said.body, order, () => failures.sinceMs(failure, askedAtMs))
    // Another known status ends the time for which Monnify has reported FAILED; the next FAILED starts it again.
    if (state.kind !== 'unknown') failures.forget(failure)
    return state
  }
  if (said.kind === 'unknown') return ofQuestion(said)
  const { status: http, code } = said
  return http === 404 || code === 'D02'
    ? { kind: 'not-found' }
    : { kind: 'unknown', detail: `disbursement: refused with ${http} ${code}` }
}
