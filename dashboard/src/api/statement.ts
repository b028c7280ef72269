// The balance of a business and its statement.

import { queryOptions } from '@tanstack/react-query'
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

type StatementQuery = { from: string; to: string; page: number; limit: number; currency: Currency }

function isOfSamePeriod(shown: unknown, asked: StatementQuery): boolean {
  const before = shown as StatementQuery | undefined
  return before?.from === asked.from && before.to === asked.to && before.currency === asked.currency
}

export function statementQuery(place: Place, query: StatementQuery) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'statement', query],
    queryFn: ({ signal }) => ask<Statement>(under(place, 'statement'), { query, signal }),
    // The rows stay on screen while another page of the same statement loads. They do not stay for another month or
    // currency, because people would take its sums for the new ones.
    placeholderData: (shown, of) => (isOfSamePeriod(of?.queryKey[3], query) ? shown : undefined),
  })
}
