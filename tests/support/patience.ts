// The limits of waits in tests. They only end a hang and do not judge speed.

import { pollUntil } from '#postgres/embedded/server-process.ts'

/**
 * For one condition, one answer, one process. The slowest of them takes two or three seconds on a quiet machine; on a
 * busy one it has been ten times as long. vitest.config.ts gives a whole test a multiple of it.
 */
export const patienceMs = 120_000

/** Asks until the answer is not undefined, and returns it. Real time, also where a test has vitest's fake timers. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const found = await pollUntil(look, { limitMs: patienceMs })
  if (found === undefined) throw new Error(`waited ${patienceMs} ms for ${what}`)
  return found
}

/** Checks until it holds: `await untilHolds(() => expect(arrivals).toHaveLength(2))`. In the end it fails as the check did. */
export async function untilHolds<T>(check: () => T | Promise<T>): Promise<T> {
  let failure: unknown
  const look = async (): Promise<{ value: T } | undefined> => {
    try {
      return { value: await check() }
    } catch (error) {
      failure = error
      return undefined
    }
  }
  const held = await pollUntil(look, { limitMs: patienceMs })
  if (held === undefined) throw failure
  return held.value
}
