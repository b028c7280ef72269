// What an attempt makes of its delivery. Pure; docs/states.md draws it. What it makes of its subscription is health.ts.

import type { DeliveryStatus } from '#events/states.ts'
import type { Sent } from './send.ts'

/** How a delivery stands when an attempt at it is recorded, its row locked. */
export type Standing = {
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

export type Ended = Sent & {
  endedAt: Date
  /** The business asked for it, beside the schedule. */
  manual: boolean
  /** The lease under which it was made. */
  leaseEnd: Date
}

/** `delayMs`: until the next automatic attempt, given how many there were. */
export type Delay = (automaticAttempts: number) => number | undefined

export function afterAttempt(standing: Standing, ended: Ended, delayMs: Delay): Standing {
  const automaticAttempts = standing.automaticAttempts + (ended.manual ? 0 : 1)
  const counted = { ...standing, attempts: standing.attempts + 1, automaticAttempts }
  const told: Standing = {
    ...counted,
    responseCode: ended.responseCode,
    lastError: ended.error,
    lastAttemptAt: later(standing.lastAttemptAt, ended.startedAt),
    updatedAt: later(standing.updatedAt, ended.endedAt),
  }
  if (ended.outcome === 'delivered') {
    // Whatever was still to come is not needed any more.
    const done = { nextAttemptAt: null, dueAt: null, retryRequested: false }
    return { ...told, ...done, status: 'delivered', deliveredAt: standing.deliveredAt ?? ended.endedAt }
  }
  const held = standing.dueAt?.getTime() === ended.leaseEnd.getTime()
  if (!held) {
    // Another process decides by now when it is sent, or it is not to be sent. Only what was not known is added.
    return standing.status === 'delivered' ? counted : { ...told, status: 'failed' }
  }
  if (ended.manual) {
    return { ...told, status: 'failed', retryRequested: false, dueAt: standing.nextAttemptAt }
  }
  const delay = ended.outcome === 'gone' ? undefined : delayMs(automaticAttempts)
  const nextAttemptAt = delay === undefined ? null : new Date(ended.endedAt.getTime() + delay)
  const dueAt = standing.retryRequested ? ended.endedAt : nextAttemptAt
  return { ...told, status: 'failed', nextAttemptAt, dueAt }
}

function later(known: Date | null, at: Date): Date {
  return known !== null && known > at ? known : at
}
