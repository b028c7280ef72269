// What both look-ups of an account's name answer alike.

import { Unavailable } from '#base/error.ts'

const retryAfterSeconds = 5

/** The bank or operator that would know does not answer. `detail` is for the log. */
export function noAnswerOf({ name }: { name: string }, detail: string): Unavailable {
  return new Unavailable(`${name} does not answer now. Try again shortly.`, {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}
