// What Monnify's words for a transfer mean here.

import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'
import type { Kobo } from '#base/money.ts'
import type { PayoutOrder, PayoutState } from '#rails/rail.ts'
import { failureReasonIn } from '#rails/words.ts'
import { disbursementBody, type Disbursement } from './answers.ts'

export function stateIn(body: unknown, order: PayoutOrder, clock: Clock): PayoutState {
  const transfer = disbursementBody.safeParse(body).data
  if (transfer === undefined) return { kind: 'unknown', detail: 'Monnify answered without a transfer that can be read' }
  const isOurs =
    transfer.reference === order.railReference &&
    transfer.amount === order.amount &&
    (transfer.currency ?? 'NGN') === 'NGN' &&
    (transfer.destinationAccountNumber ?? order.accountNumber) === order.accountNumber
  return isOurs
    ? wordOf(transfer, clock.now() - order.submittedAtMs)
    : { kind: 'unknown', detail: 'Monnify answered about another transfer' }
}

function wordOf(transfer: Disbursement, ageMs: number): PayoutState {
  switch (transfer.status) {
    case 'PENDING':
    case 'AWAITING_PROCESSING':
    case 'IN_PROGRESS':
    // Two-factor approval was left on: somebody must approve it there, or it expires.
    case 'PENDING_AUTHORIZATION':
    case 'PENDING_BATCH_AUTHORIZATION':
    case 'OTP_EMAIL_DISPATCH_FAILED':
      return { kind: 'pending' }
    case 'SUCCESS':
    case 'COMPLETED':
      return { kind: 'succeeded', sessionId: sessionIdOf(transfer), ...costOf(transfer) }
    case 'FAILED':
    case 'EXPIRED':
      return failed(transfer, ageMs)
    case 'REVERSED':
      return { kind: 'reversed', sessionId: sessionIdOf(transfer) }
    default:
      return { kind: 'unknown', detail: 'Monnify answered with a status word that is not known' }
  }
}

/** For these Monnify's own table says "re-query": the money may have arrived although the word is FAILED. */
const requery = new RegExp(
  [
    'timed out while waiting',
    'delayed processing',
    'beneficiary bank not available',
    'invalid session id',
    'invalid response code',
    'system malfunction',
    'unable to complete',
    'could not be processed at this time',
    'processing in progress',
    'processor malfunction',
  ].join('|'),
  'i',
)
const requeryMs = 30 * minuteMs

function failed({ transactionDescription, comment }: Disbursement, ageMs: number): PayoutState {
  const text = `${transactionDescription ?? ''} ${comment ?? ''}`
  return requery.test(text) && ageMs < requeryMs
    ? { kind: 'unknown', detail: 'Monnify says failed, for a reason that may still pass' }
    : { kind: 'failed', reason: failureReasonIn(text) }
}

function costOf({ fee, totalFee }: Disbursement): { cost?: Kobo } {
  const cost = fee ?? totalFee ?? undefined
  return cost === undefined ? {} : { cost }
}

function sessionIdOf({ sessionId }: Disbursement): string | null {
  const id = sessionId ?? ''
  return /^\d{30}$/.test(id) ? id : null
}
