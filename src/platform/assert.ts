// A failed assertion is a bug of ours: the caller gets one fixed sentence (500), the log gets this message and the stack.

import { inspect } from 'node:util'

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** The value, when it cannot be absent unless we made a mistake. */
export function present<T>(value: T | null | undefined, message: string): T {
  assert(value !== null && value !== undefined, message)
  return value
}

/** For the default branch of a switch over a union: a new member fails to compile. */
export function unreachable(value: never): never {
  throw new Error(`assertion failed: unexpected ${inspect(value)}`)
}
