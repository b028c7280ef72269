// When a delivery that failed is tried again. Pure: chance is passed in.

import type { Environment } from '#platform/context.ts'

const minute = 60
const hour = 60 * minute

/** Waits in seconds: the n-th follows the n-th automatic attempt. */
export const schedules: Record<Environment, readonly number[]> = {
  staging: [5, 30, 2 * minute, 10 * minute],
  production: [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
}

/** An operator's own schedule stands in place of both. */
export function scheduleFor(environment: Environment, override?: readonly number[]): readonly number[] {
  return override ?? schedules[environment]
}

/** The first attempt, and one after each wait. */
export function maxAttemptsOf(schedule: readonly number[]): number {
  return schedule.length + 1
}

/** So that what failed together does not come back together. */
const jitterShare = 0.2
const retryAfterFactorMax = 2

type Failure = {
  /** Those made so far, this one included. */
  automaticAttempts: number
  /** What the receiver asked for. */
  retryAfterSeconds?: number | undefined
  /** Even between 0 and 1. */
  chance: number
}

/** Undefined: that was the last one. */
export function nextDelayMs(
  schedule: readonly number[],
  { automaticAttempts, retryAfterSeconds = 0, chance }: Failure,
): number | undefined {
  const base = schedule[automaticAttempts - 1]
  if (base === undefined) return undefined
  const spread = base * (1 - jitterShare + 2 * jitterShare * chance)
  // Never earlier than the receiver asked for, unless that is longer than a receiver may delay us.
  const asked = retryAfterSeconds < base ? 0 : Math.min(retryAfterSeconds, base * retryAfterFactorMax)
  return Math.round(Math.max(spread, asked) * 1_000)
}

// When the lease of a delivery ends, and when too little of it is left to begin an attempt.

/** For what this process may be slow at, between an answer and its record. */
const recordSlackMs = 5_000
/** How long a delivery may wait for its turn in the hand. */
const turnMsMax = 25_000

/** When this process dies with a delivery in hand, another one sends it so much later. */
export function leaseMsOf(attemptMs: number): number {
  return attemptMs + recordSlackMs + turnMsMax
}

/** So much of the lease has passed that an attempt could outlive it, and another process send it meanwhile. */
export function isLate(leaseEnd: Date, attemptMs: number, nowMs: number): boolean {
  return nowMs + attemptMs + recordSlackMs > leaseEnd.getTime()
}

/** Of an attempt beside the schedule: no row is due then, and no other process waits for it. */
export const noLease = new Date(0)
