// Chooses the currency that a page shows. The choice is part of the address. A business that uses naira only sees no
// choice.

import { useQuery } from '@tanstack/react-query'
import { currenciesQuery } from '#api/currencies.ts'
import type { Currency } from '#api/schema.ts'
import { balanceQuery } from '#api/statement.ts'
import { useSearchState, type Filter } from '#table/filters.ts'
import { Select } from '#ui/field.tsx'
import { usePlace, useRefusal } from './place.ts'

/** The currencies that are switched on, naira first. Only naira while they load, or if the role may not see them. */
export function useSwitchedOn(): Currency[] {
  const refusal = useRefusal('balance.see')
  const { data } = useQuery({ ...currenciesQuery(usePlace()), enabled: refusal === undefined })
  return data?.filter((one) => one.on).map(({ currency }) => currency) ?? ['NGN']
}

/** The currencies of the business, naira first. */
export function useCurrencies(): Currency[] {
  const refusal = useRefusal('balance.see')
  const { data } = useQuery({ ...balanceQuery(usePlace()), enabled: refusal === undefined })
  return data?.map(({ currency }) => currency as Currency) ?? []
}

/** The currency filter of a list. No filter if the business has one currency and the address names none. */
export function useCurrencyFilter(): Filter[] {
  const [{ currency }] = useSearchState()
  const known: string[] = useCurrencies()
  const all = currency === undefined || known.includes(currency) ? known : [...known, currency]
  if (all.length < 2 && currency === undefined) return []
  const choices = all.map((value) => ({ value, label: value }))
  return [{ kind: 'choice', name: 'currency', label: 'Currency', choices, isDeep: true }]
}

export function useChosenCurrency(): Currency {
  const [search] = useSearchState()
  const currencies = useCurrencies()
  return currencies.find((currency) => currency === search['currency']) ?? 'NGN'
}

export function CurrencySwitch() {
  const [, change] = useSearchState()
  const currencies = useCurrencies()
  const chosen = useChosenCurrency()
  if (currencies.length < 2) return null
  return (
    <Select
      isSmall
      aria-label="Currency"
      choices={currencies.map((currency) => ({ value: currency, label: currency }))}
      value={chosen}
      onChange={(event) => change({ currency: event.target.value === 'NGN' ? undefined : event.target.value })}
    />
  )
}
