// Banks and operators: the same for every business, and slow to change.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import type { Bank, MomoOperator } from './schema.ts'

const hourMs = 3_600_000

export function banksQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'banks'],
    queryFn: async ({ signal }) => (await ask<{ banks: Bank[] }>(under(place, 'v1/banks'), { signal })).data.banks,
    staleTime: hourMs,
  })
}

export function operatorsQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'operators'],
    queryFn: async ({ signal }) =>
      (await ask<{ operators: MomoOperator[] }>(under(place, 'v1/momo/operators'), { signal })).data.operators,
    staleTime: hourMs,
  })
}
