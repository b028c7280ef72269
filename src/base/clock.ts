// Time comes from here and nowhere else, so that tests can hold it still.

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** What a machine knows of time by itself: a clock that may be wrong and may be set, and a pace that is right. */
export type MachineClock = Clock & {
  /** Milliseconds since some moment in the past; never goes back. */
  monotonicMs(): number
}

export const machineClock: MachineClock = { ...systemClock, monotonicMs: () => performance.now() }

/** Resolves when the work is done, or when nobody waits for it any longer; says whether it was done in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(() => late.resolve(false), limitMs)
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
