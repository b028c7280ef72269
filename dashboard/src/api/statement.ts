// The balance of a business and its statement.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import type { Balance, Currency } from './schema.ts'

export type StatementEntry = {
  number: number
  at: string
  what: string
  reference: string
  in: number
  out: number
  balanceAfter: number
}

export type Statement = {
  opening: number
  closing: number
  sumIn: number
  sumOut: number
  entries: StatementEntry[]
  /** True if the entries explain the difference between opening and closing balance. The server computes it. */
  adds: boolean
}

export function balanceQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'balance'],
    queryFn: async ({ signal }) =>
      (await ask<{ balances: Balance[] }>(under(place, 'v1/balance'), { signal })).data.balances,
  })
}

export function statementQuery(
  place: Place,
  query: { from: string; to: string; page: number; limit: number; currency: Currency },
) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'statement', query],
    queryFn: ({ signal }) => ask<Statement>(under(place, 'statement'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}
