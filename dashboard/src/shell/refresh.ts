// Reads all data of this business and environment on screen again, after a change.

import { useQueryClient } from '@tanstack/react-query'
import { usePlace } from './place.ts'

/**
 * Resolves when the data on screen is up to date. While a part of it cannot be read, that takes as long as the outage, so
 * a caller that leaves the page does not wait for it.
 */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  const { businessId, environment } = usePlace()
  return () => queries.invalidateQueries({ queryKey: [businessId, environment] })
}
