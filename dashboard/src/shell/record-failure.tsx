// Shown in place of a record that could not be read. A missing record may be in the other environment, so the page
// names this one and links to the other.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiFailure } from '#api/failure.ts'
import type { Place } from '#api/client.ts'
import { findQuery } from '#api/finder.ts'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState, ErrorState } from '#ui/states.tsx'
import { useMembership, usePlace } from './place.ts'

type RecordFailureProps = {
  error: Error
  /** The kind of the missing record, such as "payment". */
  noun: string
  reference: string
  pathIn: (place: Place) => string
  onRetry: () => void
}

export function RecordFailure({ error, onRetry, ...looked }: RecordFailureProps) {
  const isMissing = error instanceof ApiFailure && (error.status === 404 || error.code.endsWith('_NOT_FOUND'))
  return isMissing ? <Missing {...looked} /> : <ErrorState isPage failure={error} onRetry={onRetry} />
}

function Missing({ noun, reference, pathIn }: Pick<RecordFailureProps, 'noun' | 'reference' | 'pathIn'>) {
  const place = usePlace()
  const { name } = useMembership()
  const { data } = useQuery(findQuery(place, reference))
  const elsewhere = data?.elsewhere.find((hit) => hit.reference === reference)
  return (
    <EmptyState
      isPage
      title={`There is no such ${noun}`}
      says={`${reference} was looked for in ${place.environment} of ${name}.`}
    >
      {elsewhere === undefined ? null : (
        <Link to={pathIn({ ...place, environment: elsewhere.environment })} className={buttonLook()}>
          It is in {elsewhere.environment}
        </Link>
      )}
    </EmptyState>
  )
}
