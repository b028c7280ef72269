// The limits of waits in tests. They only end a hang and do not judge speed.

import { pollUntil } from '#postgres/embedded/server-process.ts'

/**
 * The limit for one condition, one answer or one process. The slowest takes two or three seconds on a quiet machine,
 * and ten times as long on a busy one. vitest.config.ts gives a whole test a multiple of it.
 */
export const patienceMs = 120_000

/** Asks until the answer is not undefined, and returns it. It waits in real time, also with vitest's fake timers. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const found = await pollUntil(look, { limitMs: patienceMs })
  if (found === undefined) throw new Error(`waited ${patienceMs} ms for ${what}`)
  return found
}

/**
 * Runs the check until it passes: `await untilHolds(() => expect(arrivals).toHaveLength(2))`. At the limit it fails
 * with the check's own error.
 */
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
