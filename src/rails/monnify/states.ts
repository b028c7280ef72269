// What Monnify's words for a transfer mean here.

import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'
import type { Kobo } from '#base/money.ts'
import type { PayoutOrder, PayoutState, Unknown } from '#rails/rail.ts'
import { failureReasonIn, isPayeesFault } from '#rails/words.ts'
import { disbursementBody, type Disbursement } from './answers.ts'
import { bankCodeOf } from './bank-codes.ts'

/** What the summary of a transfer says. */
export function stateIn(body: unknown, order: PayoutOrder, clock: Clock): PayoutState {
  const transfer = transferIn(body, order)
  if ('kind' in transfer) return transfer
  // A transfer that was made before one-time codes were switched off says nothing about the account as it is now.
  if (waitingForCode.includes(transfer.status)) return { kind: 'pending' }
  return wordOf(transfer, clock.now() - order.submittedAtMs)
}

/** What the answer to a submission says. It has no text that tells why a transfer failed, so the summary is read first. */
export function stateAnswered(body: unknown, order: PayoutOrder, clock: Clock): PayoutState {
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
