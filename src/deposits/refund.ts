// A refund: money that could not be accepted, on its way back to who paid it. What becomes of it when its rail has answered;
// pure. The drawing of its states is docs/states.md. A rail that may have been asked is never asked again before it has said
// that it knows of no refund.

import type { Environment, OfTenant } from '#base/context.ts'
import { dayMs, hourMs, minuteMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import type { Currency, Kobo } from '#base/money.ts'
import type { ReturnReason } from '#customers/account.ts'
import type { NotFound } from '#rails/rail.ts'
import type { RefundState as RailAnswer } from '#rails/rail-refunds.ts'

export const refundStatuses = ['WAITING', 'ASKED', 'REFUNDED', 'REFUSED'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** A refund that this process keeps to itself until `leaseEnd`, with what its rail must know of the money. */
export type ClaimedRefund = OfTenant & {
  depositId: Uuid
  /** As it is while it is claimed: ASKED by who can ask, else as it was. */
  status: RefundStatus
  /** As it was before it was claimed. */
  wasAsked: boolean
  askedAt: Date
  asks: number
  /** In which words its rail refused it, where these are not final. */
  refusal: string | null
  /** A person wants it sent once more, also if its rail says that the refund it has failed. */
  again: boolean
  leaseEnd: Date
  createdAt: Date
  environment: Environment
  provider: string
  providerId: string
  amount: Kobo
  currency: Currency
  returnReason: ReturnReason
}

export type Step = Pick<ClaimedRefund, 'status' | 'refusal' | 'again'> & {
  dueAt: Date | null
  why: string | null
  /** What a person must do before the provider goes on. */
  attention?: string
}

/** A refund takes its provider hours or days: it is asked about after a minute, after four, … and then every six hours. */
const longestPauseMs = 6 * hourMs
/** From then on a person should ask the provider, too. */
export const unsettledAfterMs = 10 * dayMs

/** `requested`: it is the answer to the request itself, and not to a question what became of one. */
export function stepAfter(
  refund: Pick<ClaimedRefund, 'asks' | 'refusal' | 'again'>,
  { answer, requested }: { answer: RailAnswer | NotFound; requested: boolean },
  nowMs: number,
): Step {
  const later = new Date(nowMs + pauseMsOf(refund.asks))
  const nothing = { why: null, refusal: null, again: false }
  const anew: Step = { ...nothing, status: 'WAITING', dueAt: new Date(nowMs) }
  const refusedWith = (why: string): Step => ({ ...nothing, status: 'REFUSED', dueAt: null, why })
  switch (answer.kind) {
    case 'refunded':
      return { ...nothing, status: 'REFUNDED', dueAt: null }
    case 'failed':
      return refund.again && !requested ? anew : refusedWith(answer.detail)
    case 'not-found':
      return refund.refusal === null ? anew : refusedWith(refund.refusal)
    case 'pending': {
      const { askAgainAfterMs, attention } = answer
      const step: Step = {
        ...nothing,
        status: 'ASKED',
        dueAt: advised(askAgainAfterMs) ?? later,
        why: attention ?? null,
      }
      return attention === undefined ? step : { ...step, attention }
    }
    case 'unknown': {
      const wasNotSent = requested && answer.sent === false
      const dueAt = wasNotSent ? (advised(answer.askAgainAfterMs) ?? later) : later
      const refusal = requested && answer.why === 'refused' ? answer.detail : refund.refusal
      const why = requested ? answer.detail : (refusal ?? answer.detail)
      return { status: wasNotSent ? 'WAITING' : 'ASKED', dueAt, why, refusal, again: refund.again && !requested }
    }
  }

  function advised(ms: number | undefined): Date | undefined {
    return ms === undefined ? undefined : new Date(nowMs + ms)
  }
}

function pauseMsOf(asks: number): number {
  return Math.min(minuteMs * 4 ** asks, longestPauseMs)
}
