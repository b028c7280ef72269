// Whether a rail may still act for an unfinished payment: as long as it may, no person ends the payment, because a word of
// the rail that came later would find the money moved. What never left can always be ended as failed. The rule is the one of
// docs/spec.md.

import { minuteMs } from '#base/durations.ts'
import { stuckAfterMs } from './carry-schedule.ts'
import type { Payment, RailWord, Result } from './payment.ts'

/** Why a rail may still act. */
export type Refusal =
  /** A process has it in hand. */
  | 'in-hand'
  /** The rail's last word was that it is under way. */
  | 'under-way'
  /** It is looked at within the next minute, or should have been. */
  | 'asked-soon'
  /** Its rail is there and may answer yet. */
  | 'young'
  /** It never left the building, so it cannot have succeeded. */
  | 'never-left'

/** What decides, as it is while the row is locked. */
export type Hold = { dueAt: Date | null; submittedAt: Date | null; railWord: RailWord | null }

const soonMs = minuteMs

/**
 * Undefined: a person may end this unfinished payment. A claim notes the submission before the payment leaves, so while the
 * row is locked and notes none, no process can be sending it; and one that was late writes nothing more about it.
 */
export function refusalOf(payment: Payment, hold: Hold, result: Result, nowMs: number): Refusal | undefined {
  const { dueAt, submittedAt, railWord } = hold
  if (submittedAt === null) return result.kind === 'succeeded' ? 'never-left' : undefined
  if (railWord === null) return 'in-hand'
  if (railWord === 'pending') return 'under-way'
  if (dueAt !== null && dueAt.getTime() <= nowMs + soonMs) return 'asked-soon'
  return railWord !== 'no-rail' && nowMs - payment.createdAt.getTime() < stuckAfterMs ? 'young' : undefined
}
