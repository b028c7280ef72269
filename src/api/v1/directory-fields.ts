// How every endpoint that takes a bank's slug refuses one that is none.

import { unknownBank } from '#directory/banks.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'

export function invalidBank(slug: string): ApiError {
  const details = [{ field: 'bankSlug', message: 'is not the slug of a bank' }]
  return new ApiError('INVALID_BANK', unknownBank(slug), { details })
}

// What both look-ups of an account's name answer alike.

const retryAfterSeconds = 5

/** The bank or operator that would know does not answer. `detail` is for the log. */
export function noAnswerOf({ name }: { name: string }, detail: string): Unavailable {
  return new Unavailable(`${name} does not answer now. Try again shortly.`, {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}
