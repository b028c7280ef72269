// Links that show the receipt of one payout without sign-in. Only the answer that creates a link contains it.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'

export type ReceiptLink = { id: string; madeBy: string; createdAt: string }

/** `isOn` false: the business has switched receipt links off. */
type ReceiptLinks = { isOn: boolean; links: ReceiptLink[] }

function pathOf(place: Place, reference: string): string {
  return under(place, `payments/${encodeURIComponent(reference)}/receipt-links`)
}

export function receiptLinksQuery(place: Place, reference: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'receipt-links', reference],
    queryFn: async ({ signal }) => (await ask<ReceiptLinks>(pathOf(place, reference), { signal })).data,
  })
}

export async function makeReceiptLink(place: Place, reference: string): Promise<string> {
  return (await ask<{ url: string }>(pathOf(place, reference), { method: 'POST' })).data.url
}

export async function revokeReceiptLink(place: Place, reference: string, id: string): Promise<void> {
  await ask(`${pathOf(place, reference)}/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
