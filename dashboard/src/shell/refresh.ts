// After something was changed: everything of this business and environment that is on screen is asked for again.

import { useQueryClient } from '@tanstack/react-query'
import { usePlace } from './place.ts'

/** Resolves when what is shown is new. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  const { businessId, environment } = usePlace()
  return () => queries.invalidateQueries({ queryKey: [businessId, environment] })
}
