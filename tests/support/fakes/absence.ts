// What a provider has and does not show for a while: asked for it, it says that it does not know it. A payment that it has may be
// sent to it again only once it has said so when it should have known, a quarter of an hour after the last try.

import type { Clock } from '#platform/clock.ts'

export type Shown = {
  shownAtMs: number
  triedAtMs: number
  /** It was called unknown long enough after the last try. */
  isDenied: boolean
  /** It was called known already. */
  isCalledKnown: boolean
  /** How often it was called unknown after that. */
  contradictions: number
}

const graceMs = 15 * 60_000

export function shownAfter(clock: Clock, hiddenMs: number): Shown {
  const nowMs = clock.now()
  const nothingSaid = { isDenied: false, isCalledKnown: false, contradictions: 0 }
  return { shownAtMs: nowMs + hiddenMs, triedAtMs: nowMs, ...nothingSaid }
}

/** Whether it may be sent once more, now that it is. A call that the provider turns away unread, as 429 does, is no try. */
export function comesAgain(known: Shown, clock: Clock): boolean {
  const { isDenied } = known
  Object.assign(known, { triedAtMs: clock.now(), isDenied: false })
  return isDenied
}

export function tellThere(known: Shown | undefined): void {
  if (known !== undefined) known.isCalledKnown = true
}

/** Whether a question about it is answered as if it were not there. */
export function isHidden(known: Shown, clock: Clock): boolean {
  const nowMs = clock.now()
  if (nowMs >= known.shownAtMs) return false
  known.isDenied ||= nowMs - known.triedAtMs >= graceMs
  if (known.isCalledKnown) known.contradictions += 1
  return true
}
