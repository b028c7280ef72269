// When to ask again about a payment whose outcome is not known.

import { hourMs, minuteMs, secondMs } from '#base/durations.ts'

const steps = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs]

/** After `asks` fruitless questions: 5 s, 30 s, 2 min, 10 min, 30 min, then hourly, for as long as it takes. */
export function nextAskMs(asks: number): number {
  return steps[asks] ?? hourMs
}

/** A payer has the phone in hand: every 5 s in the first minute, then every 15 s. */
export function nextCollectionAskMs(ageMs: number): number {
  return ageMs < minuteMs ? 5 * secondMs : 15 * secondMs
}

/** From this age on a person should look at it. */
export const stuckAfterMs = 24 * hourMs
