// When to ask again about a payment whose outcome is not known.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const steps = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute]

/** After `asks` fruitless questions: 5 s, 30 s, 2 min, 10 min, 30 min, then hourly, for as long as it takes. */
export function nextAskMs(asks: number): number {
  return steps[asks] ?? hour
}

/** A payer has the phone in hand: every 5 s in the first minute, then every 15 s. */
export function nextCollectionAskMs(ageMs: number): number {
  return ageMs < minute ? 5 * second : 15 * second
}

/** From this age on a person should look at it. */
export const stuckAfterMs = 24 * hour
