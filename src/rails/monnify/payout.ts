// What Monnify's words for a transfer mean here.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Kobo } from '#platform/money.ts'
import { failureReasonIn, isPayeesFault } from '#rails/failure-reasons.ts'
import { nairaOf, plainNarration, shareWord } from '#rails/formats.ts'
import { detailOf, emptyFloat, mayLeaveBy, ofQuestion } from '#rails/outcome.ts'
import { jsonNumber } from '#rails/provider.ts'
import type { PayoutOrder, PayoutState, Unknown, BankFailureReason, BankPayout, NotFound } from '#rails/rail.ts'
import { disbursementBody, type Disbursement } from './answers.ts'
import type { Call, Said } from './call.ts'
import { bankCodeOf, askHolder } from './directory.ts'

/** What the summary of a transfer says. */
function stateIn(body: unknown, order: PayoutOrder, clock: Clock): PayoutState {
  const transfer = transferIn(body, order)
  if ('kind' in transfer) return transfer
  // A transfer that was made before one-time codes were switched off says nothing about the account as it is now.
  if (waitingForCode.includes(transfer.status)) return { kind: 'pending' }
  return wordOf(transfer, clock.now() - order.submittedAtMs)
}

/** What the answer to a submission says. It has no text that tells why a transfer failed, so the summary is read first. */
function stateAnswered(body: unknown, order: PayoutOrder, clock: Clock): PayoutState {
  const transfer = transferIn(body, order)
  if ('kind' in transfer) return transfer
  if (waitingForCode.includes(transfer.status)) return codeRequired
  const state = wordOf(transfer, clock.now() - order.submittedAtMs)
  return state.kind === 'failed' || state.kind === 'reversed' ? { kind: 'pending' } : state
}

const waitingForCode = ['PENDING_AUTHORIZATION', 'PENDING_BATCH_AUTHORIZATION', 'OTP_EMAIL_DISPATCH_FAILED']

/**
 * The transfer is there, and a person can still let it go with the code: so it does not count as unsent, and is never sent
 * again.
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
  // The same number is another person's at another bank.
  const isTheBank = code === undefined || code === null || [bankCodeOf(bank), bank.nipCode].includes(code)
  return isTheBank && (number ?? accountNumber) === accountNumber
    ? transfer
    : {
        kind: 'unknown',
        detail: 'Monnify shows a transfer to another account than ours; look at it there',
        why: 'mismatch',
      }
}

function wordOf(transfer: Disbursement, ageMs: number): PayoutState {
  switch (transfer.status) {
    case 'PENDING':
    case 'AWAITING_PROCESSING':
    case 'IN_PROGRESS':
      return { kind: 'pending' }
    case 'SUCCESS':
    case 'COMPLETED':
      return { kind: 'succeeded', sessionId: sessionIdOf(transfer), ...costOf(transfer) }
    case 'FAILED':
      return failed(transfer, ageMs)
    case 'EXPIRED':
      // Nobody approved it in time, so it never left.
      return { kind: 'failed', reason: failureReasonIn(textOf(transfer)) }
    case 'REVERSED':
      return { kind: 'reversed', sessionId: sessionIdOf(transfer) }
    default:
      return { kind: 'unknown', detail: 'Monnify answered with a status word that is not known' }
  }
}

const textOf = ({ transactionDescription, comment }: Disbursement): string =>
  `${transactionDescription ?? ''} ${comment ?? ''}`.trim()

/** Monnify says FAILED of transfers that it pays a little later, and says of most such texts "re-query" in its documents. */
const unclearMs = 30 * minuteMs

function failed(transfer: Disbursement, ageMs: number): PayoutState {
  const text = textOf(transfer)
  if (text === '') return { kind: 'unknown', detail: 'Monnify says failed without a word why, which is not believed' }
  const reason = failureReasonIn(text)
  return isPayeesFault(reason) || ageMs >= unclearMs
    ? { kind: 'failed', reason }
    : { kind: 'unknown', detail: 'Monnify says failed, for a reason that may still pass' }
}

function costOf({ fee, totalFee }: Disbursement): { cost?: Kobo } {
  const cost = fee ?? totalFee ?? undefined
  return cost === undefined ? {} : { cost }
}

function sessionIdOf({ sessionId }: Disbursement): string | null {
  const id = sessionId ?? ''
  return /^\d{30}$/.test(id) ? id : null
}

// Transfers to banks. The reference is ours, so the same order is the same transfer however often it is sent; what became
// of it is asked under the same reference. Monnify's page advises a new reference when it has one already: that would pay
// twice, so we never do.

type Transfers = {
  call: Call
  clock: Clock
  /** Out of which is paid. */
  wallet: string
  submitMs: number
  /** Of everything but a submission and the question for a name. */
  readMs: number
  resolveMs: number
}

const leaseSlackMs = 5_000

/** A name and the transfer, each with a login before it and once more with another after a refused token. */
const leaseMsOf = ({ submitMs, readMs, resolveMs }: Transfers): number =>
  2 * (resolveMs + submitMs) + 4 * readMs + leaseSlackMs

/** For two minutes it refuses the same amount to the same account under another reference. */
const lookalikeRestMs = 125_000

export function createPayout(transfers: Transfers): BankPayout {
  return {
    submitLeaseMs: leaseMsOf(transfers),
    submit: (order) => submit(transfers, order),
    status: (order) => ask(transfers, order),
  }
}

async function submit(transfers: Transfers, order: PayoutOrder): Promise<PayoutState> {
  const { call, wallet, submitMs, resolveMs } = transfers
  const bankCode = bankCodeOf(order.bank)
  if (bankCode === null) return failedFor('BANK_NOT_FOUND')
  const { accountNumber } = order
  const holder = await askHolder(call, { bankCode, accountNumber, limitMs: resolveMs })
  // Whatever became of the question, no money was asked for: the payment may be sent again.
  if (holder.kind === 'unknown') return { ...holder, sent: false }
  if (holder.kind === 'not-found') return failedFor('INVALID_ACCOUNT')
  if (!shareWord(holder.name, order.accountName)) return failedFor('ACCOUNT_NAME_MISMATCH')
  const said = await call({
    endpoint: 'disburse',
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
  return said.kind === 'success' ? stateAnswered(said.body, order, transfers.clock) : afterRefusal(said)
}

function failedFor(reason: BankFailureReason): PayoutState {
  return { kind: 'failed', reason, created: false }
}

/**
 * The codes are those of Monnify's page "Error codes". Final and the payee's own fault are D03, and D01 ("treat as failed") with
 * a text that says so. A refusal that is not here proves nothing: the transfer may have been made all the same.
 */
function afterRefusal(refusal: Extract<Said, { kind: 'refusal' }>): PayoutState {
  const { code, message } = refusal
  // It has a transfer of this reference: ours. What became of it the next question tells.
  if (code === 'D05' || /reference already exists|duplicate (transaction )?reference/i.test(message))
    return { kind: 'pending', askAgainAfterMs: 0, exists: true }
  if (code === 'D07') return lookalike
  if (code === 'D04') return emptyFloat('the wallet at Monnify is not enough')
  if (code === 'D03') return failedFor('INVALID_ACCOUNT')
  const reason = failureReasonIn(message)
  if (code === 'D01' && isPayeesFault(reason)) return failedFor(reason)
  return { kind: 'unknown', detail: detailOf('disburse', refusal), why: 'refused' }
}

const lookalike: Unknown = {
  kind: 'unknown',
  detail: 'Monnify holds back the same amount to the same account for two minutes; ask them to switch that off',
  sent: false,
  askAgainAfterMs: lookalikeRestMs,
}

async function ask({ call, clock }: Transfers, order: PayoutOrder): Promise<PayoutState | NotFound> {
  const query = new URLSearchParams({ reference: order.railReference })
  const path = `/api/v2/disbursements/single/summary?${query.toString()}`
  const said = await call({ endpoint: 'disbursement', method: 'GET', path })
  if (said.kind === 'success') return stateIn(said.body, order, clock)
  if (said.kind === 'unknown') return ofQuestion(said)
  const { status: http, code } = said
  return http === 404 || code === 'D02'
    ? { kind: 'not-found' }
    : { kind: 'unknown', detail: `disbursement: refused with ${http} ${code}` }
}
