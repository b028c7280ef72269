// Assertions. A failed one is a bug: the caller gets one fixed sentence (500), and the log gets the message and the
// stack.

import { inspect } from 'node:util'

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

export function present<T>(value: T | null | undefined, message: string): T {
  assert(value !== null && value !== undefined, message)
  return value
}

/** For the default branch of a switch over a union: a new member of the union does not compile. */
export function unreachable(value: never): never {
  throw new Error(`assertion failed: unexpected ${inspect(value)}`)
}
