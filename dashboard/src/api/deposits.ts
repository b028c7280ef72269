// Deposits, and their validation.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place, type Query } from './client.ts'
import type { SearchProgress } from './payments.ts'
import type { Deposit, DepositValidation } from './schema.ts'

export function depositsQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'deposits', query],
    queryFn: ({ signal }) => ask<{ deposits: Deposit[] }>(under(place, 'v1/deposits'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The deposits that ended on the days of the query. They are paged by a cursor, so `page` is left out. */
export function endedDepositsQuery(place: Place, { page: _page, ...query }: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'ended', 'deposits', query],
    queryFn: async ({ signal }) =>
      (await ask<SearchProgress & { deposits: Deposit[] }>(under(place, 'ended-deposits'), { query, signal })).data,
    placeholderData: keepPreviousData,
  })
}

export function depositQuery(place: Place, reference: string) {
  const path = under(place, `v1/deposits/${encodeURIComponent(reference)}`)
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'deposit', reference],
    queryFn: async ({ signal }) => (await ask<Deposit>(path, { signal })).data,
  })
}

export function depositValidationQuery(place: Place, reference: string) {
  const path = under(place, `v1/deposits/validate/${encodeURIComponent(reference)}`)
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'deposit-validation', reference],
    queryFn: async ({ signal }) => (await ask<DepositValidation>(path, { signal })).data,
  })
}
