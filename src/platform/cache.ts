// Answers of the database that are remembered for less than a second: what another process changes is known here within
// that second. One in steady use is asked for again in the background before it grows old, so that nobody waits for it.

export type Remembered<T> = {
  value: T
  /** From before the question: the answer may be as old as that. */
  askedAtMs: number
  asking: boolean
}

const ageMsMax = 900
const refreshMs = 400

/** Undefined when it may not be believed any more. `again` asks anew, and is called while there is time. */
export function stillFresh<T>(
  known: Remembered<T> | undefined,
  nowMs: number,
  again: () => Promise<unknown>,
): Remembered<T> | undefined {
  if (known === undefined) return undefined
  const ageMs = nowMs - known.askedAtMs
  // A clock that was set back makes an answer look young.
  if (ageMs < 0 || ageMs >= ageMsMax) return undefined
  if (ageMs >= refreshMs && !known.asking) {
    known.asking = true
    again().catch(() => (known.asking = false)) // Whoever needs it next asks again and reports the failure.
  }
  return known
}
