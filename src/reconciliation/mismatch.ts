// A mismatch between a provider's list and our records (`break` in code). It is opened once for each fact and closes
// by itself if the fact can become right; otherwise an operator closes it. docs/rails/breaks.md explains each kind
// and what to do.

import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'

export const breakKinds = [
  'missing-here',
  'unknown-account',
  'missing-there',
  'unknown-payout',
  'unknown-attempt',
  'amount',
  'account',
  'state',
  'late-reversal',
  'double',
  'fee',
  'float',
  'unsettled',
  'stale',
] as const
export type BreakKind = (typeof breakKinds)[number]

/** Kinds that may continue to cost money as long as payouts go out. */
export const stoppingKinds: readonly BreakKind[] = ['unknown-payout', 'double']

/** Opened once for each rail, kind and `subject`. */
export type BreakFact = {
  kind: BreakKind
  subject: string
  /** The name that an operator knows: the business's reference of its payment, or the provider's own. */
  reference: string
  amount: bigint | null
  fact: string
  aboutAt: Date
}

/** The subject of a fact about a day in one currency. NGN has no suffix, because it was the only currency at first. */
export function subjectOf(day: string, currency: string): string {
  return currency === 'NGN' ? day : `${day} ${currency}`
}

export function isAbout(subject: string, currency: Currency): boolean {
  return currency === 'NGN' ? !subject.includes(' ') : subject.endsWith(` ${currency}`)
}

/** Names the minor unit of a currency in a fact. */
export function unitOf(currency: string): string {
  return currency === 'NGN' ? 'kobo' : `minor units of ${currency}`
}

export type RailBreak = BreakFact & {
  id: Uuid
  environment: Environment
  rail: string
  openedAt: Date
  closedAt: Date | null
  note: string | null
}

/** A mismatch that no longer exists. */
export type HealedBreak = { kind: BreakKind; subject: string; note: string }
