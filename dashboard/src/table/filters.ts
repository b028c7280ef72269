// The filters of a list, and their form in the address.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { isDay } from '#format/days.ts'
import { parseMoney, type Currency } from '#format/money.ts'
import { endOfDay, startOfDay } from '#format/time.ts'
import type { Choice } from '#ui/field.tsx'
import { useZone } from '#ui/values.tsx'
import { changeSearch, readPaging, type Paging, type Search } from './search.ts'

export type Filter = {
  /**
   * True for a filter without an index: the server must read the rows to apply it, so it stands under “More filters”.
   */
  isDeep?: boolean
} & (
  | { kind: 'choice'; name: string; label: string; choices: readonly Choice[] }
  | { kind: 'text'; name: string; label: string; placeholder?: string }
  /** `from` and `to`. The address has them as days in the screen's time zone; the server gets instants. */
  | { kind: 'days' }
  /** `endedFrom` and `endedTo`: the days on which payments ended. If only one is set, it means that one day. */
  | { kind: 'ended' }
  /** `amountFrom` and `amountTo`. The address has them as typed; the server gets them in the minor unit. */
  | { kind: 'amounts' }
)

export type Filters = {
  search: Search
  /** The query for the server: filters, page, and instants in place of days. */
  query: Paging & { from?: string; to?: string } & Readonly<Record<string, string | number>>
  /** The names of the filters that are set, as the page calls them. */
  active: readonly string[]
  /** True if one of the active filters has no index. */
  isDeep: boolean
  change: (changes: Readonly<Record<string, string | undefined>>) => void
  clear: () => void
  /** When this list was opened. Pages after the first leave newer rows out, so that rows do not move while money arrives. */
  createdUntil: string
  isFirstPage: boolean
}

export function useFilters(filters: readonly Filter[]): Filters {
  const [search, change] = useSearchState()
  const zone = useZone()
  const [openedAt] = useState(() => new Date().toISOString())
  const paging = readPaging(search)
  const set = filters.flatMap(namesOf).filter(isSet(search))
  const active = filters.filter((filter) => namesOf(filter).some(isSet(search)))
  const { createdUntil, behind } = search
  // A text that is no date filters nothing; its field shows the fault.
  const [from, to] = dayNames.map((name) => search[name]).map((text = '') => (isDay(text) ? text : undefined))
  const end = to === undefined ? createdUntil : endOfDay(to, zone)
  const words = set.filter((name) => !convertedNames.has(name))
  return {
    search,
    query: {
      ...Object.fromEntries(words.map((name) => [name, search[name] ?? ''])),
      ...amountsOf(search),
      ...(set.some((name) => endedNames.includes(name)) ? endedOf(search, zone) : {}),
      ...paging,
      ...(from === undefined ? {} : { from: startOfDay(from, zone) }),
      ...(end === undefined ? {} : { to: end }),
      ...(behind === undefined ? {} : { behind }),
    },
    active: active.map(labelOf),
    isDeep: active.some(({ isDeep }) => isDeep === true),
    change,
    clear: () => change(Object.fromEntries(set.map((name) => [name, undefined]))),
    createdUntil: createdUntil ?? openedAt,
    isFirstPage: paging.page === 1,
  }
}

const dayNames = ['from', 'to']
const endedNames = ['endedFrom', 'endedTo']
const amountNames = ['amountFrom', 'amountTo']
const convertedNames = new Set([...dayNames, ...endedNames, ...amountNames])

export function namesOf(filter: Filter): string[] {
  if (filter.kind === 'days') return dayNames
  if (filter.kind === 'ended') return endedNames
  return filter.kind === 'amounts' ? amountNames : [filter.name]
}

function labelOf(filter: Filter): string {
  if (filter.kind === 'days') return 'Time'
  if (filter.kind === 'ended') return 'Ended'
  return filter.kind === 'amounts' ? 'Amount' : filter.label
}

function endedOf({ endedFrom, endedTo }: Search, zone: string): Record<string, string> {
  const [first, last] = [endedFrom, endedTo].filter((text = '') => isDay(text))
  if (first === undefined) return {}
  return { endedFrom: startOfDay(first, zone), endedTo: endOfDay(last ?? first, zone) }
}

/** The currency of the amount filters: the filtered currency, or naira. */
export function currencyIn({ currency = '' }: Search): Currency {
  return /^[A-Z]{3}$/.test(currency) ? (currency as Currency) : 'NGN'
}

/** An invalid amount filters nothing; its field shows the error. */
function amountsOf(search: Search): Record<string, number> {
  const currency = currencyIn(search)
  const read = amountNames.map((name) => [name, parseMoney(search[name] ?? '', currency)] as const)
  return Object.fromEntries(read.flatMap(([name, parsed]) => ('amount' in parsed ? [[name, parsed.amount]] : [])))
}

function isSet(search: Search): (name: string) => boolean {
  return (name) => search[name] !== undefined
}

/** The parameters of the address, and a function that changes them. Only a change of the page adds to the history. */
export function useSearchState(): [Search, Filters['change']] {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  return [
    search,
    (changes) => void navigate({ to: '.', search: changeSearch(search, changes), replace: !('page' in changes) }),
  ]
}
