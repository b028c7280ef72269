// Shared errors of the endpoints that look up banks and accounts.

import { unknownBank } from '#directory/banks.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'

export function invalidBank(slug: string): ApiError {
  const details = [{ field: 'bankSlug', message: 'is not the slug of a bank' }]
  return new ApiError('INVALID_BANK', unknownBank(slug), { details })
}

const retryAfterSeconds = 5

/** Error when the bank or operator that would know does not respond. `detail` is for the log. */
export function noAnswerOf({ name }: { name: string }, detail: string): Unavailable {
  return new Unavailable(`${name} does not answer now. Try again shortly.`, {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}
