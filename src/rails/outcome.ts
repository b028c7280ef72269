// Answers that adapters share: refusals, unsent requests and answers to status queries. Also how long a payment or
// refund must stay absent before its absence counts.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Unknown } from './rail.ts'

/** Why a provider refused a request, in its own terms. */
export type RailRefusal = { status: number; code: string; message: string }

/** Describes a response that is no success; nothing of the request's data is in it. */
export function detailOf(endpoint: string, said: Unknown | ({ kind: 'refusal' } & RailRefusal)): string {
  return said.kind === 'unknown' ? said.detail : `${endpoint}: refused with ${said.status} ${said.code}`
}

/** An operator must resolve both causes. */
const restMs = minuteMs

/** The provider refused us, not the payment: nothing was done, and every other call will fail the same way. */
export function unknownByConfiguration(endpoint: string, status: number, lookAt: string): Unknown {
  return {
    kind: 'unknown',
    detail: `${endpoint}: refused us with ${status}; look at ${lookAt}`,
    sent: false,
    askAgainAfterMs: restMs,
    why: 'misconfigured',
  }
}

export function emptyFloat(detail: string): Unknown {
  return { kind: 'unknown', detail, sent: false, askAgainAfterMs: restMs, why: 'float' }
}

/** Checks just before the request leaves whether it still may. An order without a deadline always may. */
export function mayLeaveBy({ leaveBeforeMs = Infinity }: { leaveBeforeMs?: number }, clock: Clock): () => boolean {
  return () => clock.monotonicMs() < leaveBeforeMs
}

/**
 * Drops `sent`, because a status query that was not sent says nothing about the payment. Keeps how long a rate limit
 * blocks the query: the query itself was not answered, so it waits for that time and not for the schedule.
 */
export function ofQuestion({ detail, why, askAgainAfterMs }: Unknown): Unknown {
  if (why !== undefined) return { kind: 'unknown', detail, why }
  return { kind: 'unknown', detail, ...(askAgainAfterMs === undefined ? {} : { askAgainAfterMs }) }
}

/**
 * A provider may be late to show a payment or refund. If it has not shown one for this long, counted since this
 * process first saw it absent, the provider does not have it.
 */
export const absenceGraceMs = 15 * minuteMs
