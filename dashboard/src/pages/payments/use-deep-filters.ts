// The deep filters of a kind of payments, with the banks or operators to choose from.

import { useQuery } from '@tanstack/react-query'
import { banksQuery, operatorsQuery } from '#api/directory.ts'
import { usePlace } from '#shell/place.ts'
import { useCurrencies, useCurrencyFilter } from '#shell/currency-switch.tsx'
import { useSearchState, type Filter } from '#table/filters.ts'
import type { Choice } from '#ui/field.tsx'
import { deepFilters } from './deep-filters.ts'

export function useBankFilters(): Filter[] {
  return deepFilters('banks', choicesOf(useQuery(banksQuery(usePlace())).data))
}

/** Offers the operators of the filtered currency, or of all currencies of the business. */
export function useWalletFilters(): Filter[] {
  const [{ currency }] = useSearchState()
  const known = useCurrencies()
  const all: string[] = known.length === 0 ? ['NGN'] : known
  const shown = currency === undefined ? all : [currency]
  const operators = useQuery(operatorsQuery(usePlace())).data?.filter((operator) => shown.includes(operator.currency))
  return [...deepFilters('wallets', choicesOf(operators)), ...useCurrencyFilter()]
}

function choicesOf(all: readonly { slug: string; name: string }[] = []): Choice[] {
  return all.map(({ slug, name }) => ({ value: slug, label: name }))
}
