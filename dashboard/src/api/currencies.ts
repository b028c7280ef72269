// The currencies that a business uses in one environment.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import type { Currency } from './schema.ts'

export type TenantCurrency = { currency: Currency; on: boolean }

export function currenciesQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'currencies'],
    queryFn: async ({ signal }) =>
      (await ask<{ currencies: TenantCurrency[] }>(under(place, 'currencies'), { signal })).data.currencies,
  })
}

export async function setCurrencies(place: Place, change: { on: string[] } | { off: string[] }): Promise<void> {
  await ask(under(place, 'currencies'), { method: 'PATCH', body: change })
}
