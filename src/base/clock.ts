// Time comes from here and nowhere else, so that tests can hold it still.

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
