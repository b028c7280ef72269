// Reads all data of this business and environment on screen again, after a change.

import { useQueryClient } from '@tanstack/react-query'
import { usePlace } from './place.ts'

/** Reads are repeated until they succeed. In an outage, the dialog of an action that was done must not stay open so long. */
const waitMsMax = 3_000

/** Resolves when the data on screen is up to date, but after three seconds at the latest. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  const { businessId, environment } = usePlace()
  return () => {
    const wait = new Promise<void>((resolve) => setTimeout(resolve, waitMsMax))
    return Promise.race([queries.invalidateQueries({ queryKey: [businessId, environment] }), wait])
  }
}
