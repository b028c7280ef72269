// What adapters of providers say alike, each in its provider's name: that nothing was done, and that a question says nothing
// about a payment. And for how long something must stay absent before its absence counts.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Unknown } from './rail.ts'

/** Why a provider did not do what it was asked, in its own words. */
export type Refusal = { status: number; code: string; message: string }

/** What is told of an answer that is no success: nothing of what was asked. */
export function detailOf(endpoint: string, said: Unknown | ({ kind: 'refusal' } & Refusal)): string {
  return said.kind === 'unknown' ? said.detail : `${endpoint}: refused with ${said.status} ${said.code}`
}

/** Both are for people to see to. */
const restMs = minuteMs

/** It refused us, not a payment: nothing was done, and every other call will end like this. */
export function misconfigured(endpoint: string, status: number, lookAt: string): Unknown {
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

/** Whether an order may still leave at the moment when it would; what is asked without a time for that may. */
export function mayLeaveBy({ leaveBeforeMs = Infinity }: { leaveBeforeMs?: number }, clock: Clock): () => boolean {
  return () => clock.monotonicMs() < leaveBeforeMs
}

/** Whether a question was sent says nothing about the payment. */
export function ofQuestion({ detail, why }: Unknown): Unknown {
  return { kind: 'unknown', detail, ...(why === undefined ? {} : { why }) }
}

/**
 * A provider may not show a payment or a refund yet that it has. What it has not shown for so long, counted since this process
 * first saw it absent, it does not have.
 */
export const absenceGraceMs = 15 * minuteMs
