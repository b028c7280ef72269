// A payout that a provider lists, against the payment of ours that bears its reference. Pure: what a payment may still become
// its rail is asked by whoever calls this.

import { dayMs } from '#base/durations.ts'
import { toKobo, zero } from '#base/money.ts'
import { isFinal, type Payment } from '#payments/payment.ts'
import type { BreakFact, BreakKind } from './break.ts'
import type { KeptLine } from './sql-lines.ts'
import { isAnother, laterMs, soonMs, type Booking, type Verdict } from './verdict.ts'

/** `hasLeft`: another rail has it by now. */
export type ListedPayment = { payment: Payment; hasLeft: boolean }

/** What the rail tells of the payment by listing it so; undefined where it agrees with ours, or says nothing yet. */
export type Ask = 'succeeded' | 'failed' | 'reversed' | undefined

export function askAbout({ state }: KeptLine, { payment: { status }, hasLeft }: ListedPayment): Ask {
  if (hasLeft) return state === 'succeeded' || state === 'reversed' ? state : undefined
  if (state === 'succeeded') return status === 'SUCCESS' || status === 'REVERSED' ? undefined : 'succeeded'
  if (state === 'reversed') return status === 'REVERSED' || status === 'FAILED' ? undefined : 'reversed'
  if (state === 'failed') return status === 'FAILED' || status === 'REVERSED' ? undefined : 'failed'
  return undefined
}

export type PayoutQuestion = {
  line: KeptLine
  /** As it is after its rail was asked. Undefined: no payment with this reference was ever at this rail. */
  found: ListedPayment | undefined
  /** All lines of this reference, this one among them. */
  siblings: KeptLine[]
  beganAt: Date
  nowMs: number
}

const healing: readonly BreakKind[] = ['missing-there', 'late-reversal', 'state']

/** In these states no money has left, as far as the provider says. */
const unpaid: readonly KeptLine['state'][] = ['failed', 'unknown']

export function judgePayout({ line, found, siblings, beganAt, nowMs }: PayoutQuestion): Verdict {
  const { reference } = line
  if (found === undefined || found.hasLeft) {
    // Before this rail was looked at, another system of the company may have paid with the same account. That a payout
    // which has left failed here is why it left.
    const isOld = found === undefined && line.at.getTime() < beganAt.getTime()
    const isExpected = found !== undefined && unpaid.includes(line.state)
    return { ...nothing(reference), facts: isOld || isExpected ? [] : [strange(line, found)] }
  }
  const { payment } = found
  const about = { subject: reference, reference: payment.reference, amount: payment.amount as bigint, aboutAt: line.at }
  const facts: BreakFact[] = []
  if (line.amount !== payment.amount || line.currency !== payment.currency) {
    const theirs = `${line.amount} ${line.currency}`
    facts.push({
      ...about,
      kind: 'amount',
      fact: `it lists ${theirs}, and we sent ${payment.amount} ${payment.currency}`,
    })
  }
  if (payment.kind === 'bank_transfer' && isAnother(line.accountNumber, payment.accountNumber)) {
    const fact = `it lists a payout to ${line.accountNumber}, and we sent it to ${payment.accountNumber}`
    facts.push({ ...about, kind: 'account', fact })
  }
  const paid = siblings.filter(({ state }) => state === 'succeeded').map((one) => one.lineId)
  if (paid.length > 1) facts.push({ ...about, kind: 'double', fact: `paid by its lines ${paid.join(' and ')}` })
  const opposite = oppositeOf(line, payment, nowMs)
  if (opposite !== undefined) facts.push({ ...about, ...opposite })
  return {
    facts,
    settled: { kinds: healing, subject: reference },
    bookings: bookingsOf(line, payment),
    againMs: againMsOf(line, payment, facts),
  }
}

function strange({ at, amount, reference, lineId, state }: KeptLine, left: ListedPayment | undefined): BreakFact {
  const named = left?.payment.reference ?? (reference === '' ? `line ${lineId}` : reference)
  const about = { subject: `${reference} ${lineId}`, reference: named, amount, aboutAt: at }
  if (left !== undefined)
    return { ...about, kind: 'unknown-payout', fact: `it lists as ${state} what had left it for ${left.payment.rail}` }
  if (unpaid.includes(state))
    return { ...about, kind: 'unknown-attempt', fact: `it lists as ${state} a payout that nobody ordered here` }
  const fact = 'it lists a payout that nobody ordered here: the key leaked, or two systems share the account'
  return { ...about, kind: 'unknown-payout', fact }
}

function nothing(subject: string): Verdict {
  return { facts: [], settled: { kinds: healing, subject }, bookings: [], againMs: null }
}

/** A list may lag behind a return that we know of by this much. */
const lagMs = dayMs

function oppositeOf(
  { state, at }: KeptLine,
  { status, updatedAt }: Payment,
  nowMs: number,
): Pick<BreakFact, 'kind' | 'fact'> | undefined {
  const ours = `ours is ${status} since ${updatedAt.toISOString()}`
  if (state === 'reversed' && status === 'SUCCESS')
    return { kind: 'late-reversal', fact: `it lists a return of what was sent ${at.toISOString()}; ${ours}` }
  const said = { kind: 'state' as const, fact: `it lists ${state} what was sent ${at.toISOString()}; ${ours}` }
  if (state === 'succeeded' && status === 'FAILED') return said
  if (state === 'succeeded' && status === 'REVERSED' && nowMs - updatedAt.getTime() > lagMs) return said
  if (state === 'failed' && status === 'SUCCESS') return said
  return undefined
}

/** What settling has booked already is not booked again: this is for what a version before the float books settled. */
function bookingsOf(line: KeptLine, payment: Payment): Booking[] {
  const { id: subject, lane, amount, status } = payment
  const cause = { subject, reference: line.reference, lane }
  const cost: Booking = { ...cause, kind: 'payout_cost', amount: line.fee ?? zero }
  // It came back before we saw it paid, so it failed here; what the rail keeps is gone all the same.
  if (status === 'FAILED') return line.state === 'reversed' ? [cost] : []
  if (status !== 'SUCCESS' && status !== 'REVERSED') return []
  return [
    { ...cause, kind: 'payout', amount },
    cost,
    { ...cause, kind: 'reversal', amount: status === 'REVERSED' ? amount : toKobo(0) },
  ]
}

function againMsOf({ state }: KeptLine, { status }: Payment, facts: BreakFact[]): number | null {
  if (facts.some(({ kind }) => healing.includes(kind))) return laterMs
  const isTheirsFinal = state !== 'pending' && state !== 'unknown'
  if (isTheirsFinal && !isFinal(status)) return soonMs
  return state === 'succeeded' && status === 'REVERSED' ? laterMs : null
}
