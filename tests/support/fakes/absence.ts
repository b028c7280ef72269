// How a fake provider hides a payment that it has: asked about it, the provider says that it does not know it. A test
// may send a hidden payment again only after the provider has denied it once, a quarter of an hour after the last try.

import type { Clock } from '#platform/clock.ts'

export type Shown = {
  shownAtMs: number
  triedAtMs: number
  /** The provider denied it, long enough after the last try. */
  isDenied: boolean
  /** The provider has said that it has it. */
  isCalledKnown: boolean
  /** How often the provider denied it after that. */
  contradictions: number
}

const graceMs = 15 * 60_000

export function shownAfter(clock: Clock, hiddenMs: number): Shown {
  const nowMs = clock.now()
  const nothingSaid = { isDenied: false, isCalledKnown: false, contradictions: 0 }
  return { shownAtMs: nowMs + hiddenMs, triedAtMs: nowMs, ...nothingSaid }
}

/**
 * Notes that the payment was sent again, and returns whether that was allowed. A call that the provider rejects unread,
 * as with 429, is no try.
 */
export function comesAgain(known: Shown, clock: Clock): boolean {
  const { isDenied } = known
  Object.assign(known, { triedAtMs: clock.now(), isDenied: false })
  return isDenied
}

export function tellThere(known: Shown | undefined): void {
  if (known !== undefined) known.isCalledKnown = true
}

/** Returns whether the provider now answers as if the payment did not exist. */
export function isHidden(known: Shown, clock: Clock): boolean {
  const nowMs = clock.now()
  if (nowMs >= known.shownAtMs) return false
  known.isDenied ||= nowMs - known.triedAtMs >= graceMs
  if (known.isCalledKnown) known.contradictions += 1
  return true
}
