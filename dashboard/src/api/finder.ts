// Search, and the saved views of lists.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Environment, type Place } from './client.ts'
import type { Currency } from './schema.ts'

export type HitKind =
  | 'transfer'
  | 'momo-transfer'
  | 'collection'
  | 'deposit'
  | 'customer'
  | 'account'
  | 'event'
  | 'key'
  | 'subscription'
  | 'request'
  | 'recipient'

export type Hit = {
  kind: HitKind
  reference: string
  title: string
  status: string | null
  amount: number | null
  currency: Currency | null
  at: string
  environment: Environment
}

export type Found = { hits: Hit[]; elsewhere: Hit[]; looksLike: string | null }

export function findQuery(place: Place, q: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'find', q],
    queryFn: async ({ signal }) => (await ask<Found>(under(place, 'find'), { query: { q }, signal })).data,
    staleTime: 10_000,
  })
}

export type View = { id: string; noun: string; name: string; query: string; isShared: boolean; isYours: boolean }

export function viewsQuery(place: Place, noun: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'views', noun],
    queryFn: async () => (await ask<{ views: View[] }>(under(place, 'views'), { query: { noun } })).data.views,
  })
}

export async function saveView(place: Place, view: Pick<View, 'noun' | 'name' | 'query' | 'isShared'>): Promise<void> {
  await ask(under(place, 'views'), { method: 'POST', body: view })
}

export async function deleteView(place: Place, id: string): Promise<void> {
  await ask(under(place, `views/${encodeURIComponent(id)}`), { method: 'DELETE' })
}
