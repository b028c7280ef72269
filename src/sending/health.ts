// When a subscription is disabled, because its receiver is gone or does nothing but fail. Pure; docs/states.md draws it.

import { hourMs } from '#base/durations.ts'
import type { DisablingReason, SubscriptionStatus } from '#events/states.ts'
import type { Ended } from './after-attempt.ts'

export type Health = { status: SubscriptionStatus; failingSince: Date | null; disabledBecause: DisablingReason | null }

/** Nothing but failures for so long, and a subscription is disabled. */
export const failingMsMax = 120 * hourMs

/** The same object when nothing changes, so that nothing is written. */
export function healthAfter(health: Health, { outcome, endedAt }: Pick<Ended, 'outcome' | 'endedAt'>): Health {
  if (outcome === 'delivered') return health.failingSince === null ? health : { ...health, failingSince: null }
  const failingSince = health.failingSince ?? endedAt
  const active = health.status === 'active'
  if (active && outcome === 'gone') return { status: 'disabled', failingSince, disabledBecause: 'GONE' }
  if (active && endedAt.getTime() - failingSince.getTime() >= failingMsMax) {
    return { status: 'disabled', failingSince, disabledBecause: 'FAILING' }
  }
  return health.failingSince === null ? { ...health, failingSince } : health
}
