// How every endpoint that takes a bank's slug refuses one that is none.

import { ApiError } from '#base/error.ts'
import { unknownBank } from '#directory/nearest-banks.ts'

export function invalidBank(slug: string): ApiError {
  const details = [{ field: 'bankSlug', message: 'is not the slug of a bank' }]
  return new ApiError('INVALID_BANK', unknownBank(slug), { details })
}
