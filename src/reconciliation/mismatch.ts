// A break: where a provider's list and ours do not agree. Opened once for each fact, closed by itself where the fact can cease
// to be so, and by a person otherwise. docs/rails/breaks.md says what each means and what to do.

import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'

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

/** What may go on costing money for as long as payouts leave. */
export const stoppingKinds: readonly BreakKind[] = ['unknown-payout', 'double']

/** `subject`, with rail and kind, is what is opened once. */
export type BreakFact = {
  kind: BreakKind
  subject: string
  /** As a person knows it: what a business calls its payment, or the provider's own reference. */
  reference: string
  amount: bigint | null
  fact: string
  aboutAt: Date
}

export type RailBreak = BreakFact & {
  id: Uuid
  environment: Environment
  rail: string
  openedAt: Date
  closedAt: Date | null
  note: string | null
}

/** What has ceased to be so. */
export type Healed = { kind: BreakKind; subject: string; note: string }
