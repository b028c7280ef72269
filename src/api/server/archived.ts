// What a caller is told who asks for entries that are in files. The sentence says from where on they are here.

import type { ApiError } from '#platform/errors.ts'
import type { InArchive } from '#ledger/archived.ts'
import { validationError } from './fields.ts'

export function archivedError({ field, until }: InArchive): ApiError {
  const since = until.toISOString()
  const message = `${field} leads to entries before ${since}, which are in the archive: ask from=${since} on, and for older ones ask whoever runs this service`
  return validationError([{ field, message }])
}
