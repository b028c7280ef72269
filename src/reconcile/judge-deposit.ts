// Money that a provider lists as come in, against the deposit that it became here. Pure: what was never told of is read again
// by whoever calls this.

import { zero } from '#base/money.ts'
import type { KnownMoney } from '#deposits/of-provider.ts'
import type { BreakFact, BreakKind } from './break.ts'
import type { KeptLine } from './sql-lines.ts'
import { isAnother, laterMs, soonMs, type Booking, type Verdict } from './verdict.ts'

const healing: readonly BreakKind[] = ['missing-here', 'unknown-account', 'state']

/** `why`: reading it again led to nothing. `wasUnowned`: the float book has it as nobody's. */
export type DepositQuestion = {
  line: KeptLine
  known: KnownMoney | undefined
  wasUnowned: boolean
  why: string
  beganAt: Date
}

export function judgeDeposit({ line, known, wasUnowned, why, beganAt }: DepositQuestion): Verdict {
  const { lineId, amount, fee } = line
  const settled = { kinds: healing, subject: lineId }
  const cause = { subject: lineId, reference: lineId, lane: 0 }
  const cost: Booking = { ...cause, kind: 'deposit_cost', amount: fee ?? zero }
  if (known === undefined) {
    const isOld = line.at.getTime() < beganAt.getTime()
    const facts = isOld ? [] : [factOf(line, 'missing-here', `${placeOf(line)} has no deposit here: ${why}`)]
    return { facts, settled, bookings: [], againMs: isOld ? null : soonMs }
  }
  if (known.kind === 'kept') {
    const facts = [factOf(line, 'unknown-account', `${placeOf(line)} is nobody's; refund it, or say whose it is`)]
    return { facts, settled, bookings: [{ ...cause, kind: 'unowned', amount }, cost], againMs: laterMs }
  }
  const facts: BreakFact[] = []
  if (known.amount !== amount || known.currency !== line.currency) {
    const fact = `it lists ${amount} ${line.currency}, and the deposit is ${known.amount} ${known.currency}`
    facts.push(factOf(line, 'amount', fact))
  }
  // A person may have given money of nobody's account to another one.
  if (!wasUnowned && isAnother(line.accountNumber, known.accountNumber)) {
    const fact = `it lists money for ${line.accountNumber}, and the deposit is one of ${known.accountNumber}`
    facts.push(factOf(line, 'account', fact))
  }
  if (known.status === 'FAILED' && !known.isReturned)
    facts.push(factOf(line, 'state', 'it lists money that came; the deposit is FAILED'))
  const bookings: Booking[] =
    known.status === 'SUCCESSFUL' ? [{ ...cause, lane: known.lane, kind: 'deposit', amount }] : []
  if (known.status === 'SUCCESSFUL' && wasUnowned) bookings.push({ ...cause, kind: 'owned', amount })
  return { facts, settled, bookings: [...bookings, cost], againMs: known.status === 'PENDING' ? laterMs : null }
}

function placeOf({ amount, accountNumber, at }: KeptLine): string {
  return `${amount} kobo to ${accountNumber ?? 'an account that it does not name'} at ${at.toISOString()}`
}

function factOf({ lineId, amount, at, reference }: KeptLine, kind: BreakKind, fact: string): BreakFact {
  return { kind, subject: lineId, reference, amount, fact, aboutAt: at }
}
