// A failed assertion is a bug: the caller gets one fixed sentence (500), and the log gets this message and the stack.

import { inspect } from 'node:util'

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** Returns a value that can be absent only because of a bug. */
export function present<T>(value: T | null | undefined, message: string): T {
  assert(value !== null && value !== undefined, message)
  return value
}

/** Used in the default branch of a switch over a union, so that a new member fails to compile. */
export function unreachable(value: never): never {
  throw new Error(`assertion failed: unexpected ${inspect(value)}`)
}
