// Saved recipients: bank accounts and wallets under a name.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'

export type Recipient = {
  id: string
  kind: 'bank' | 'wallet'
  name: string
  /** The slug of the bank or operator. */
  institution: string
  accountNumber: string
  /** Null: the bank has not confirmed the account. */
  accountName: string | null
  tags: string[]
  verifiedAt: string | null
  changedAt: string | null
  changedBy: string | null
  lastPaidAt: string | null
}

export type RecipientFields = Pick<Recipient, 'kind' | 'name' | 'institution' | 'accountNumber' | 'tags'>

export function recipientsQuery(place: Place, search: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'recipients', search],
    queryFn: async ({ signal }) =>
      (await ask<{ recipients: Recipient[] }>(under(place, 'recipients'), { query: { search }, signal })).data
        .recipients,
  })
}

/** Without an id, a new one. */
export async function saveRecipient(place: Place, fields: RecipientFields, id?: string): Promise<void> {
  const path = under(place, id === undefined ? 'recipients' : `recipients/${encodeURIComponent(id)}`)
  await ask(path, { method: id === undefined ? 'POST' : 'PATCH', body: fields })
}

export async function removeRecipient(place: Place, id: string): Promise<void> {
  await ask(under(place, `recipients/${encodeURIComponent(id)}`), { method: 'DELETE' })
}
