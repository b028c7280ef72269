// Figures: what happened to a tenant's money in an hour, counted; pure.

import { dayMs, hourMs, minuteMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import type { Currency, Kobo } from '#base/money.ts'

/** A collection that succeeds makes a deposit too; it is counted as the collection alone. */
export type FigureKind = 'bank_transfer' | 'momo_transfer' | 'momo_collection' | 'deposit'

/** `returned`: it had succeeded, and was counted as such in the hour in which it did. */
export type FigureOutcome = 'accepted' | 'succeeded' | 'failed' | 'returned'

/** Something that became true of one payment or deposit. */
export type Happening = {
  tenantId: Uuid
  kind: FigureKind
  currency: Currency
  outcome: FigureOutcome
  /** Of a failure. */
  reason?: string | undefined
  at: Date
  amount: Kobo
  /** What the business paid for it; of a return, what it got back. Absent: nothing. */
  fee?: Kobo
  /** From its acceptance to its end; absent where nobody waits for it. */
  tookMs?: number
}

/** The columns of how long it took, each with the time below which it holds. */
export const durations = [
  ['took_1s', 1_000],
  ['took_2s', 2_000],
  ['took_5s', 5_000],
  ['took_10s', 10_000],
  ['took_30s', 30_000],
  ['took_1m', minuteMs],
  ['took_2m', 2 * minuteMs],
  ['took_5m', 5 * minuteMs],
  ['took_15m', 15 * minuteMs],
  ['took_1h', hourMs],
  ['took_6h', 21_600_000],
  ['took_1d', dayMs],
  ['took_longer', Number.POSITIVE_INFINITY],
] as const

export const durationColumns = durations.map(([column]) => column)

/** Which of the columns counts it. */
export function durationIndex(tookMs: number): number {
  return durations.findIndex(([, belowMs]) => tookMs < belowMs)
}

/** What is counted as longer than a day is told as a day. */
const longestMs = dayMs

/**
 * Below how many seconds so large a part of them ended, as well as the columns tell: within one of them the counts are taken
 * to lie evenly. Null: there were none.
 */
export function quantileSeconds(counts: readonly bigint[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0n)
  if (total === 0n) return null
  const wanted = Math.max(1, Math.ceil(Number(total) * part))
  let [passed, lowMs] = [0, 0]
  for (const [index, [, belowMs]] of durations.entries()) {
    const count = Number(counts[index] ?? 0n)
    const highMs = Number.isFinite(belowMs) ? belowMs : longestMs
    if (count > 0 && passed + count >= wanted) {
      return Math.round(lowMs + ((wanted - passed) / count) * (highMs - lowMs)) / 1_000
    }
    passed += count
    lowMs = highMs
  }
  return longestMs / 1_000
}

export function isWithin(hour: Date, at: Date): boolean {
  const ms = at.getTime() - hour.getTime()
  return ms >= 0 && ms < hourMs
}

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs)
}
