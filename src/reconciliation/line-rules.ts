// Rules that compare a line of a provider's list with our record: which mismatches there are, what the float book lacks, and
// when to compare again. Pure: compare-lines.ts asks rails and reads deposits again.

import type { KnownMoney } from '#deposits/provider-lookup.ts'
import type { FloatCause, FloatKind } from '#ledger/float.ts'
import { countryOf, isFinal, type Payment } from '#payments/payment.ts'
import { hourMs, minuteMs, dayMs } from '#platform/durations.ts'
import { type Money, zero, toMoney, unitOf } from '#platform/money.ts'
import { dayAt } from './schedule.ts'
import type { KeptLine } from './lines.ts'
import { type BreakFact, type BreakKind } from './mismatches.ts'

type Booking = Pick<FloatCause, 'subject' | 'reference' | 'lane' | 'country' | 'fraction'> & {
  kind: FloatKind
  amount: Money
}

export type Comparison = {
  facts: BreakFact[]
  /** Mismatches of these kinds and this subject are resolved, unless they are among the facts. */
  resolved: { kinds: readonly BreakKind[]; subject: string }
  bookings: Booking[]
  /**
   * The line is compared again after this time, because it may come to agree by itself; null for never. A line whose
   * mismatches were all closed is not compared again.
   */
  againMs: number | null
}

export const soonMs = 5 * minuteMs
export const laterMs = hourMs

/** Why the rail's answer to a status query did not confirm a line: it differs (`unconfirmed`), or there was none. */
export type Doubt = { kind: 'unconfirmed' | 'unanswered'; detail: string }

/**
 * A rail that cannot answer, for example because a rate limit is used up, does not contradict the line. It is asked
 * again soon. After an hour without an answer, a mismatch is reported.
 */
function isWaiting({ seenAt }: KeptLine, doubt: Doubt | undefined, nowMs: number): boolean {
  return doubt?.kind === 'unanswered' && nowMs - seenAt.getTime() < laterMs
}

/** True if both are whole account numbers and differ. A list may show part of a number, and an erased payment has none. */
function isAnotherAccount(listed: string | null, ours: string): boolean {
  return [listed ?? '', ours].every((number) => /^\d{10}$/.test(number)) && listed !== ours
}

const selfClosingOfDeposits: readonly BreakKind[] = ['missing-here', 'unknown-account', 'state']

/** `why`: the result of reading the deposit again. `wasUnowned`: the float book has the money as unowned. */
type DepositQuestion = {
  line: KeptLine
  known: KnownMoney | undefined
  wasUnowned: boolean
  why: string
  beganAt: Date
}

export function compareDeposit({ line, known, wasUnowned, why, beganAt }: DepositQuestion): Comparison {
  const { lineId, amount, fee } = line
  const resolved = { kinds: selfClosingOfDeposits, subject: lineId }
  const cause = { subject: lineId, reference: lineId, lane: 0, country: null }
  const cost: Booking = { ...cause, kind: 'deposit_cost', amount: fee ?? zero }
  if (known === undefined) {
    const isOld = line.at.getTime() < beganAt.getTime()
    const facts = isOld ? [] : [factOf(line, 'missing-here', `${placeOf(line)} has no deposit here: ${why}`)]
    return { facts, resolved, bookings: [], againMs: isOld ? null : soonMs }
  }
  if (known.kind === 'kept') {
    const facts = [factOf(line, 'unknown-account', `${placeOf(line)} has no owner here; refund it, or say whose it is`)]
    return { facts, resolved, bookings: [{ ...cause, kind: 'unowned', amount }, cost], againMs: laterMs }
  }
  const facts: BreakFact[] = []
  if (known.amount !== amount || known.currency !== line.currency) {
    const fact = `it lists ${amount} ${line.currency}, and the deposit is ${known.amount} ${known.currency}`
    facts.push(factOf(line, 'amount', fact))
  }
  // An operator may have assigned unowned money to another account.
  if (!wasUnowned && isAnotherAccount(line.accountNumber, known.accountNumber)) {
    const fact = `it lists money for ${line.accountNumber}, and the deposit is one of ${known.accountNumber}`
    facts.push(factOf(line, 'account', fact))
  }
  if (known.status === 'FAILED' && !known.isReturned)
    facts.push(factOf(line, 'state', 'it lists money that came; the deposit is FAILED'))
  const bookings: Booking[] =
    known.status === 'SUCCESSFUL' ? [{ ...cause, lane: known.lane, kind: 'deposit', amount }] : []
  if (known.status === 'SUCCESSFUL' && wasUnowned) bookings.push({ ...cause, kind: 'owned', amount })
  return { facts, resolved, bookings: [...bookings, cost], againMs: known.status === 'PENDING' ? laterMs : null }
}

const selfClosingOfCollections: readonly BreakKind[] = ['missing-here', 'state']

/** `payment`: the collection after its rail was asked. `doubt`: undefined if the rail confirmed the line. */
type CollectionQuestion = { line: KeptLine; payment: Payment; doubt: Doubt | undefined; nowMs: number }

export function compareCollection({ line, payment, doubt, nowMs }: CollectionQuestion): Comparison {
  const { lineId, reference, amount, currency, state, fee } = line
  const { id: subject, lane, status, updatedAt } = payment
  const facts: BreakFact[] = []
  if (amount !== payment.amount || currency !== payment.currency) {
    const fact = `it lists ${amount} ${currency}, and we collected ${payment.amount} ${payment.currency}`
    facts.push(factOf(line, 'amount', fact))
  }
  const waits = isWaiting(line, doubt, nowMs)
  if (doubt !== undefined && !waits)
    facts.push(factOf(line, 'missing-here', `${amount} ${unitOf(currency)} not credited: ${doubt.detail}`))
  else if (doubt === undefined && state === 'succeeded' && status === 'FAILED')
    facts.push(factOf(line, 'state', `it lists money that came; ours is FAILED since ${updatedAt.toISOString()}`))
  const cause = { subject, reference, lane, country: countryOf(payment) }
  const isOpen = facts.some(({ kind }) => selfClosingOfCollections.includes(kind))
  return {
    facts: facts.map((fact) => ({ ...fact, reference: payment.reference })),
    resolved: { kinds: selfClosingOfCollections, subject: lineId },
    // The transaction that settled the collection has usually booked these already; repeated bookings are ignored.
    bookings:
      status === 'SUCCESS'
        ? [
            { ...cause, kind: 'deposit', amount: payment.amount },
            { ...cause, kind: 'deposit_cost', amount: fee ?? zero },
          ]
        : [],
    againMs: isOpen ? laterMs : isFinal(status) && !waits ? null : soonMs,
  }
}

function placeOf({ amount, currency, accountNumber, at }: KeptLine): string {
  return `${amount} ${unitOf(currency)} to ${accountNumber ?? 'an account that it does not name'} at ${at.toISOString()}`
}

function factOf({ lineId, amount, currency, at, reference }: KeptLine, kind: BreakKind, fact: string): BreakFact {
  return { kind, subject: lineId, reference, amount, currency, fact, aboutAt: at }
}

export type LineChange = Pick<
  KeptLine,
  'lineId' | 'amount' | 'fraction' | 'currency' | 'at' | 'cause' | 'direction' | 'country' | 'state' | 'reference'
>

/**
 * Translates a balance change to entries of the float book. Payouts and their returns are booked by the transaction
 * that settles them, so their lines book nothing here.
 */
export function compareLedgerLine(line: LineChange, beganAt: Date): Comparison {
  const { lineId, amount, fraction, at, country, state } = line
  const kind = kindOf(line)
  const cause = { subject: lineId, reference: lineId, lane: 0, country }
  // Changes from before reconciliation began are part of the opening balance.
  const isOld = at.getTime() < beganAt.getTime()
  const isBooked = kind !== undefined && !isOld && state !== 'unknown'
  return {
    facts: state === 'unknown' && !isOld ? [unexplainedChange(line)] : [],
    resolved: { kinds: [], subject: lineId },
    bookings: isBooked ? [{ ...cause, kind, amount, fraction }] : [],
    againMs: null,
  }
}

/** There is one mismatch for each type, wallet and day, because a type may have thousands of rows. */
function unexplainedChange({ lineId, amount, currency, at, country, direction, reference }: LineChange): BreakFact {
  const day = dayAt(at.getTime()).name
  const size = `${direction === 'out' ? '-' : ''}${amount} ${unitOf(currency)}`
  const fact = `it lists changes of the type ${reference} on ${day}, which is not known; such as ${size}; they are not booked`
  const subject = [reference, country ?? '', currency, day].join(' ')
  return { kind: 'unknown-change', subject, reference: lineId, amount, currency, fact, aboutAt: at }
}

function kindOf({ cause, direction }: LineChange): FloatKind | undefined {
  switch (cause) {
    case 'payout':
      return undefined
    case 'deposit':
    case 'settlement':
      return direction === 'in' ? 'settlement' : 'withdrawal'
    case 'refund':
      return direction === 'out' ? 'refund' : 'top_up'
    case 'fee':
      return direction === 'out' ? 'payout_cost' : 'top_up'
    case 'other':
      return direction === 'in' ? 'top_up' : 'withdrawal'
  }
}

/** A payment with the listed reference. `hasLeft`: the payment has failed over to another rail. */
export type ListedPayment = { payment: Payment; hasLeft: boolean }

type ListedStatus = 'succeeded' | 'failed' | 'reversed'

/**
 * The status that the rail must confirm, because its list differs from our record; undefined if the line agrees or does
 * not prove anything yet.
 */
export function statusToConfirm(
  { state }: KeptLine,
  { payment: { status }, hasLeft }: ListedPayment,
): ListedStatus | undefined {
  if (hasLeft) return state === 'succeeded' || state === 'reversed' ? state : undefined
  if (state === 'succeeded') return status === 'SUCCESS' || status === 'REVERSED' ? undefined : 'succeeded'
  if (state === 'reversed') return status === 'REVERSED' || status === 'FAILED' ? undefined : 'reversed'
  if (state === 'failed') return status === 'FAILED' || status === 'REVERSED' ? undefined : 'failed'
  // A list without states may show a payout that was paid although it had failed here.
  if (state === 'pending' && status === 'FAILED') return 'succeeded'
  return undefined
}

type PayoutQuestion = {
  line: KeptLine
  /** The payment after its rail was asked. Undefined if no payment with this reference was ever at this rail. */
  found: ListedPayment | undefined
  doubt: Doubt | undefined
  /** All lines of this reference, including this one. */
  siblings: KeptLine[]
  beganAt: Date
  nowMs: number
}

const selfClosingOfPayouts: readonly BreakKind[] = ['missing-there', 'late-reversal', 'state']

/** States of a line that does not show that money left. */
const unpaid: readonly KeptLine['state'][] = ['failed', 'unknown']

export function comparePayout({ line, found, doubt, siblings, beganAt, nowMs }: PayoutQuestion): Comparison {
  const { reference } = line
  if (found === undefined || found.hasLeft) {
    // Before reconciliation began, another system of the company may have paid from the same account. A failed payout
    // of a payment that failed over is expected, because the failure is the reason for the failover.
    const isOld = found === undefined && line.at.getTime() < beganAt.getTime()
    const isExpected = found !== undefined && unpaid.includes(line.state)
    return { ...nothing(reference), facts: isOld || isExpected ? [] : [strange(line, found)] }
  }
  const { payment } = found
  const { amount, currency } = payment
  const about = {
    subject: reference,
    reference: payment.reference,
    amount: amount as bigint,
    currency,
    aboutAt: line.at,
  }
  const facts: BreakFact[] = []
  if (line.amount !== payment.amount || line.currency !== payment.currency) {
    const theirs = `${line.amount} ${line.currency}`
    facts.push({
      ...about,
      kind: 'amount',
      fact: `it lists ${theirs}, and we sent ${payment.amount} ${payment.currency}`,
    })
  }
  if (payment.kind === 'bank_transfer' && isAnotherAccount(line.accountNumber, payment.accountNumber)) {
    const fact = `it lists a payout to ${line.accountNumber}, and we sent it to ${payment.accountNumber}`
    facts.push({ ...about, kind: 'account', fact })
  }
  const paid = siblings.filter(({ state }) => state === 'succeeded').map((one) => one.lineId)
  if (paid.length > 1) facts.push({ ...about, kind: 'double', fact: `paid by its lines ${paid.join(' and ')}` })
  const waits = isWaiting(line, doubt, nowMs)
  const opposite = waits ? undefined : oppositeOf(line, payment, nowMs)
  if (opposite !== undefined) facts.push({ ...about, ...opposite })
  return {
    facts,
    resolved: { kinds: selfClosingOfPayouts, subject: reference },
    bookings: bookingsOf(line, payment),
    againMs: waits ? soonMs : againMsOf(line, payment, facts, doubt),
  }
}

function strange(
  { at, amount, currency, reference, lineId, state }: KeptLine,
  left: ListedPayment | undefined,
): BreakFact {
  const named = left?.payment.reference ?? (reference === '' ? `line ${lineId}` : reference)
  const about = { subject: `${reference} ${lineId}`, reference: named, amount, currency, aboutAt: at }
  if (left !== undefined)
    return { ...about, kind: 'unknown-payout', fact: `it lists as ${state} what had left it for ${left.payment.rail}` }
  if (unpaid.includes(state))
    return { ...about, kind: 'unknown-attempt', fact: `it lists as ${state} a payout that was not ordered here` }
  const fact = 'it lists a payout that was not ordered here: the key leaked, or two systems share the account'
  return { ...about, kind: 'unknown-payout', fact }
}

function nothing(subject: string): Comparison {
  return { facts: [], resolved: { kinds: selfClosingOfPayouts, subject }, bookings: [], againMs: null }
}

/** A list may show a return up to this long after we know of it. */
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

/**
 * The transaction that settles a payout usually makes these bookings, and repeated bookings are ignored. Only a payout
 * that an earlier version without float books settled still needs them.
 */
function bookingsOf(line: KeptLine, payment: Payment): Booking[] {
  const { id: subject, lane, amount, status } = payment
  const cause = { subject, reference: line.reference, lane, country: countryOf(payment) }
  const cost: Booking = { ...cause, kind: 'payout_cost', amount: line.fee ?? zero }
  // The payout came back before we saw it paid, so it failed here; the rail's fee is spent anyway.
  if (status === 'FAILED') return line.state === 'reversed' ? [cost] : []
  if (status !== 'SUCCESS' && status !== 'REVERSED') return []
  return [
    { ...cause, kind: 'payout', amount },
    cost,
    { ...cause, kind: 'reversal', amount: status === 'REVERSED' ? amount : toMoney(0) },
  ]
}

function againMsOf(
  { state }: KeptLine,
  { status }: Payment,
  facts: BreakFact[],
  doubt: Doubt | undefined,
): number | null {
  if (facts.some(({ kind }) => selfClosingOfPayouts.includes(kind))) return laterMs
  // A pending line does not show whether the rail paid, so the rail is asked again.
  if (state === 'pending' && status === 'FAILED' && doubt !== undefined) return laterMs
  const isTheirsFinal = state !== 'pending' && state !== 'unknown'
  if (isTheirsFinal && !isFinal(status)) return soonMs
  return state === 'succeeded' && status === 'REVERSED' ? laterMs : null
}
