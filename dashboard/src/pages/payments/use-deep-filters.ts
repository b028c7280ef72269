// The deep filters of a kind of payments, with the banks or operators that there are.

import { useQuery } from '@tanstack/react-query'
import { banksQuery, operatorsQuery } from '#api/directory.ts'
import type { MomoOperator } from '#api/schema.ts'
import { usePlace } from '#shell/place.ts'
import { useCurrencyFilter } from '#shell/currency-switch.tsx'
import type { Filter } from '#table/filters.ts'
import type { Choice } from '#ui/field.tsx'
import { deepFilters } from './deep-filters.ts'

export function useBankFilters(): Filter[] {
  return deepFilters('banks', choicesOf(useQuery(banksQuery(usePlace())).data))
}

export function useWalletFilters(): Filter[] {
  const operators = choicesOf(useQuery(operatorsQuery(usePlace())).data?.filter(isInNaira))
  return [...deepFilters('wallets', operators), ...useCurrencyFilter()]
}

function isInNaira({ currency }: MomoOperator): boolean {
  return currency === 'NGN'
}

function choicesOf(all: readonly { slug: string; name: string }[] = []): Choice[] {
  return all.map(({ slug, name }) => ({ value: slug, label: name }))
}
