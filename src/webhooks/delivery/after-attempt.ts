// What an attempt changes: the state of its delivery, and whether its subscription is disabled. docs/states.md has the
// diagrams. Pure; record.ts reads and writes the rows.

import type { DeliveryStatus, DisablingReason, SubscriptionStatus } from '#events/catalogue.ts'
import { hourMs } from '#platform/durations.ts'
import type { AttemptResult } from './attempt.ts'

export type Health = { status: SubscriptionStatus; failingSince: Date | null; disabledBecause: DisablingReason | null }

/** A subscription is disabled after failing for this time without a success. */
export const failingMsMax = 120 * hourMs

export function healthAfter(health: Health, { outcome, endedAt }: Pick<EndedAttempt, 'outcome' | 'endedAt'>): Health {
  if (outcome === 'delivered') return health.failingSince === null ? health : { ...health, failingSince: null }
  const failingSince = health.failingSince ?? endedAt
  const active = health.status === 'active'
  if (active && outcome === 'gone') return { status: 'disabled', failingSince, disabledBecause: 'GONE' }
  if (active && endedAt.getTime() - failingSince.getTime() >= failingMsMax) {
    return { status: 'disabled', failingSince, disabledBecause: 'FAILING' }
  }
  return health.failingSince === null ? { ...health, failingSince } : health
}

export type DeliveryState = {
  status: DeliveryStatus
  attempts: number
  automaticAttempts: number
  responseCode: number | null
  lastError: string | null
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
  retryRequested: boolean
  deliveredAt: Date | null
  updatedAt: Date
  dueAt: Date | null
}

export type EndedAttempt = AttemptResult & {
  endedAt: Date
  /** True if the business requested it, outside the schedule. */
  manual: boolean
  /** Null if the attempt was made without a lease. */
  leaseEnd: Date | null
}

/** Returns the milliseconds until the next automatic attempt; undefined if there is none. */
type Delay = (automaticAttempts: number) => number | undefined

export function afterAttempt(state: DeliveryState, ended: EndedAttempt, delayMs: Delay): DeliveryState {
  const automaticAttempts = state.automaticAttempts + (ended.manual ? 0 : 1)
  const counted = { ...state, attempts: state.attempts + 1, automaticAttempts }
  const known: DeliveryState = {
    ...counted,
    responseCode: ended.responseCode,
    lastError: ended.error,
    lastAttemptAt: later(state.lastAttemptAt, ended.startedAt),
    updatedAt: later(state.updatedAt, ended.endedAt),
  }
  if (ended.outcome === 'delivered') {
    // Cancels the attempts that were still scheduled or requested.
    const done = { nextAttemptAt: null, dueAt: null, retryRequested: false }
    return { ...known, ...done, status: 'delivered', deliveredAt: state.deliveredAt ?? ended.endedAt }
  }
  if (!isLeasedUntil(ended.leaseEnd, state.dueAt)) {
    // An attempt whose lease has ended, or that had none, does not decide when the delivery is sent next.
    return state.status === 'delivered' ? counted : { ...known, status: 'failed' }
  }
  if (ended.manual) {
    const retryRequested = isRequestedAgain(state, ended)
    return { ...known, status: 'failed', retryRequested, dueAt: retryRequested ? ended.endedAt : state.nextAttemptAt }
  }
  const delay = ended.outcome === 'gone' ? undefined : delayMs(automaticAttempts)
  const nextAttemptAt = delay === undefined ? null : new Date(ended.endedAt.getTime() + delay)
  const dueAt = state.retryRequested ? ended.endedAt : nextAttemptAt
  return { ...known, status: 'failed', nextAttemptAt, dueAt }
}

/**
 * `retryRequested` stays true until the attempt that a business requested is recorded, so it alone does not show a
 * second request for a retry. Such a request sets `updatedAt` to a time after the attempt began.
 */
function isRequestedAgain({ retryRequested, updatedAt }: DeliveryState, { startedAt }: EndedAttempt): boolean {
  return retryRequested && updatedAt > startedAt
}

/** True if the row still has this lease; any other due time means that it ended. */
export function isLeasedUntil(leaseEnd: Date | null, dueAt: Date | null): boolean {
  return leaseEnd !== null && dueAt?.getTime() === leaseEnd.getTime()
}

function later(known: Date | null, at: Date): Date {
  return known !== null && known > at ? known : at
}
