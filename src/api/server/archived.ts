// Error for a request for entries that were archived to files. It names the time from which entries are available
// here.

import type { ApiError } from '#platform/errors.ts'
import type { InArchive } from '#ledger/archived.ts'
import { validationError } from './fields.ts'

export function archivedError({ field, until }: InArchive): ApiError {
  const since = until.toISOString()
  const message = `${field} leads to entries before ${since}, which are in the archive: ask from=${since} on, and for older ones ask whoever runs this service`
  return validationError([{ field, message }])
}
