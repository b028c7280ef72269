// The retry schedule of failed deliveries, and the leases of deliveries. Pure: the random number is passed in.

import type { Environment } from '#platform/context.ts'

const minute = 60
const hour = 60 * minute

/** Delays in seconds: the n-th delay follows the n-th automatic attempt. */
export const schedules: Record<Environment, readonly number[]> = {
  staging: [5, 30, 2 * minute, 10 * minute],
  production: [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
}

/** `override`, a schedule that the operator has set, replaces the schedules of both environments. */
export function scheduleFor(environment: Environment, override?: readonly number[]): readonly number[] {
  return override ?? schedules[environment]
}

export function maxAttemptsOf(schedule: readonly number[]): number {
  return schedule.length + 1
}

/** Deliveries that failed together are not retried at the same moment. */
const jitterShare = 0.2
/** Retry-After may double a scheduled delay, not more. */
const retryAfterFactorMax = 2

type Failure = {
  /** The automatic attempts so far, including this one. */
  automaticAttempts: number
  retryAfterSeconds?: number | undefined
  /** Uniform between 0 and 1. */
  chance: number
}

/** Returns undefined after the last attempt. */
export function nextDelayMs(
  schedule: readonly number[],
  { automaticAttempts, retryAfterSeconds = 0, chance }: Failure,
): number | undefined {
  const base = schedule[automaticAttempts - 1]
  if (base === undefined) return undefined
  const spread = base * (1 - jitterShare + 2 * jitterShare * chance)
  const asked = retryAfterSeconds < base ? 0 : Math.min(retryAfterSeconds, base * retryAfterFactorMax)
  return Math.round(Math.max(spread, asked) * 1_000)
}

/** Allowance for a slow process between the response and its record. */
const recordSlackMs = 5_000
/** The time that a leased delivery may wait in memory for its turn. */
const turnMsMax = 25_000

/** If this process dies with a leased delivery, another process sends it after this time. */
export function leaseMsOf(attemptMs: number): number {
  return attemptMs + recordSlackMs + turnMsMax
}

/** Returns true if an attempt could outlive the lease, so that another process could send the delivery too. */
export function isLate(leaseEnd: Date, attemptMs: number, nowMs: number): boolean {
  return nowMs + attemptMs + recordSlackMs > leaseEnd.getTime()
}
