// What holding one line of a provider's against ours leads to.

import { hourMs, minuteMs } from '#base/durations.ts'
import type { Kobo } from '#base/money.ts'
import type { FloatKind } from '#ledger/float.ts'
import type { BreakFact, BreakKind } from './break.ts'

export type Booking = { kind: FloatKind; subject: string; reference: string; lane: number; amount: Kobo }

export type Verdict = {
  facts: BreakFact[]
  /** Of these kinds nothing is wrong with this subject any more, unless it is among the facts. */
  settled: { kinds: readonly BreakKind[]; subject: string }
  bookings: Booking[]
  /** It may become right by itself: look again after this time, as long as a break of it is open or none was opened. */
  againMs: number | null
}

export const soonMs = 5 * minuteMs
export const laterMs = hourMs

/** Compares account numbers. A list may show a part of a number, and an erased payment shows none. */
export function isAnother(listed: string | null, ours: string): boolean {
  return [listed ?? '', ours].every((number) => /^\d{10}$/.test(number)) && listed !== ours
}
