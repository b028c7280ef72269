// API keys of an environment. Only the answer that creates a key contains the key itself.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'

export type Key = {
  id: string
  name: string
  prefix: string
  lastFour: string
  status: string
  createdAt: string
  createdBy: string | null
  lastUsedAt: string | null
  expiresAt: string | null
  revokedAt: string | null
  scopes: string[] | null
  allow: string[] | null
}

export type NewKey = { key: Key; secret: string }

export function keysQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'keys'],
    queryFn: async ({ signal }) => (await ask<{ keys: Key[] }>(under(place, 'keys'), { signal })).data.keys,
  })
}

export async function createKey(
  place: Place,
  body: { name: string; scopes?: string[]; allow?: string[]; expiresInDays?: number },
): Promise<NewKey> {
  return (await ask<NewKey>(under(place, 'keys'), { method: 'POST', body })).data
}

/** Creates a new key at once; the old one works for this many hours more. */
export async function rollKey(place: Place, id: string, overlapHours: number): Promise<NewKey & { old: Key }> {
  const path = under(place, `keys/${encodeURIComponent(id)}/roll`)
  return (await ask<NewKey & { old: Key }>(path, { method: 'POST', body: { overlapHours } })).data
}

export async function revokeKey(place: Place, id: string): Promise<void> {
  await ask(under(place, `keys/${encodeURIComponent(id)}/revoke`), { method: 'POST' })
}
