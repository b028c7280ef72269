// The log of API requests.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place, type Query } from './client.ts'

export type ApiRequest = {
  id: string
  at: string
  requestId: string
  key: string
  method: string
  route: string
  reference: string | null
  status: number
  errorCode: string | null
  durationMs: number
  address: string
  agent: string
  /** The body of a refused request, with masked values. */
  body: unknown
  /**
   * The refused fields, each with the reason. For a bulk request, they are the fields of the refused items, and each one also
   * has the error code of its item.
   */
  faults: { field: string; message: string; errorCode?: string }[]
}

/** True if the answer was a success that refused some of the items. */
export function hasRefusedItems({ errorCode, faults }: ApiRequest): boolean {
  return errorCode === null && faults.length > 0
}

export type RequestList = {
  requests: ApiRequest[]
  next: string | null
  lookedBackTo: string | null
  routes: string[]
  keptDays: number
  keptPerMinute: { succeeded: number; failed: number }
}

export function requestsQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'requests', query],
    queryFn: async ({ signal }) => (await ask<RequestList>(under(place, 'requests'), { query, signal })).data,
    placeholderData: keepPreviousData,
  })
}

export function requestQuery(place: Place, requestId: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'requests', requestId],
    queryFn: async () => {
      const path = under(place, `requests/${encodeURIComponent(requestId)}`)
      return (await ask<{ requests: ApiRequest[]; keptDays: number }>(path)).data
    },
  })
}
