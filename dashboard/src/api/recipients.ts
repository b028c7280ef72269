// Saved recipients: bank accounts and wallets under a name.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
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

type ListedRecipients = { recipients: Recipient[]; tags: string[] }

export function recipientsQuery(place: Place, query: { search?: string; tag?: string; paid?: string } = {}) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'recipients', query],
    queryFn: async ({ signal }) => (await ask<ListedRecipients>(under(place, 'recipients'), { query, signal })).data,
    placeholderData: keepPreviousData,
  })
}

/** `shown`: the recipient that the person edits. The change is refused if another person changed it meanwhile. */
export async function saveRecipient(place: Place, fields: RecipientFields, shown?: Recipient): Promise<void> {
  if (shown === undefined) await ask(under(place, 'recipients'), { method: 'POST', body: fields })
  else
    await ask(under(place, `recipients/${encodeURIComponent(shown.id)}`), {
      method: 'PATCH',
      body: { ...fields, shown },
    })
}

/** `shown`: the recipient that the person saw. It is not removed if another person changed it meanwhile. */
export async function removeRecipient(place: Place, shown: Recipient): Promise<void> {
  await ask(under(place, `recipients/${encodeURIComponent(shown.id)}`), { method: 'DELETE', body: { shown } })
}

export type RecipientCellName = 'name' | 'bank' | 'account' | 'tags'
export type RecipientCells = Partial<Record<RecipientCellName, string>>

export type CellFault = { field: RecipientCellName; message: string; offers?: string[] }

/**
 * `number`: the place of the row, from 1. Empty `errors`: the row was not saved because its account is saved already.
 */
type Imported = { saved: number; unsaved: { number: number; errors: CellFault[] }[] }

export async function importRecipients(place: Place, rows: RecipientCells[]): Promise<Imported> {
  return (await ask<Imported>(under(place, 'recipients/import'), { method: 'POST', body: { rows } })).data
}
