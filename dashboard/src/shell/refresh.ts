// Reads data again that may have changed.

import { useQueryClient, type QueryClient, type QueryFilters, type QueryKey } from '@tanstack/react-query'
import { usePlace } from './place.ts'

/**
 * Resolves when the data on screen is up to date, but after `waitMsMax` at the latest, because reads are repeated until
 * they succeed.
 */
export function readAgain(queries: QueryClient, filters: QueryFilters, waitMsMax: number): Promise<void> {
  const wait = new Promise<void>((resolve) => setTimeout(resolve, waitMsMax))
  return Promise.race([invalidate(queries, filters), wait])
}

/**
 * `invalidateQueries` does not interrupt the first read of a query. That read may have begun before the change, so the
 * query is read once more.
 */
async function invalidate(queries: QueryClient, filters: QueryFilters): Promise<void> {
  const fetching = queries.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })
  const first = new Set(fetching.filter(({ state }) => state.data === undefined).map(({ queryHash }) => queryHash))
  await queries.invalidateQueries(filters)
  if (first.size > 0) await queries.invalidateQueries({ predicate: ({ queryHash }) => first.has(queryHash) })
}

/**
 * The dialog of a finished action waits at most this long for the reads, so that it does not stay open in an outage.
 */
const waitMsMax = 3_000

/** Reads the data with these keys again. Resolves when they are up to date, but after three seconds at the latest. */
export function useRefreshOf(): (...keys: QueryKey[]) => Promise<void> {
  const queries = useQueryClient()
  return async (...keys) => {
    await Promise.all(keys.map((queryKey) => readAgain(queries, { queryKey }, waitMsMax)))
  }
}

/** Reads all data of this business and environment again, as `useRefreshOf` does. */
export function useRefresh(): () => Promise<void> {
  const refreshOf = useRefreshOf()
  const { businessId, environment } = usePlace()
  return () => refreshOf([businessId, environment])
}
