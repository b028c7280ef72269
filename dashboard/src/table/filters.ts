// What a list can be asked for, and what of it stands in the address.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { endOfDay, startOfDay } from '#format/time.ts'
import type { Choice } from '#ui/field.tsx'
import { useZone } from '#ui/values.tsx'
import { changeSearch, readPaging, type Paging, type Search } from './search.ts'

export type Filter =
  | { kind: 'choice'; name: string; label: string; choices: readonly Choice[] }
  | { kind: 'text'; name: string; label: string; placeholder?: string }
  /** `from` and `to`, as days of the screen's zone in the address and as instants to the server. */
  | { kind: 'days' }

export type Filters = {
  search: Search
  /** What the server is asked: the filters, the page, and instants in place of days. */
  query: Paging & { from?: string; to?: string } & Readonly<Record<string, string | number>>
  /** The names of the filters that are set, as the page calls them. */
  active: readonly string[]
  change: (changes: Readonly<Record<string, string | undefined>>) => void
  clear: () => void
  /** When this list was opened: pages after the first end there, so that rows do not move while money arrives. */
  asOf: string
  isFirstPage: boolean
}

export function useFilters(filters: readonly Filter[]): Filters {
  const [search, change] = useSearchState()
  const zone = useZone()
  const [openedAt] = useState(() => new Date().toISOString())
  const paging = readPaging(search)
  const set = filters.flatMap((filter) => (filter.kind === 'days' ? dayNames : [filter.name])).filter(isSet(search))
  const { from, to, asOf } = search
  const end = to === undefined ? asOf : endOfDay(to, zone)
  return {
    search,
    query: {
      ...Object.fromEntries(set.map((name) => [name, search[name] ?? ''])),
      ...paging,
      ...(from === undefined ? {} : { from: startOfDay(from, zone) }),
      ...(end === undefined ? {} : { to: end }),
    },
    active: filters
      .filter((filter) => (filter.kind === 'days' ? dayNames : [filter.name]).some(isSet(search)))
      .map((filter) => (filter.kind === 'days' ? 'Time' : filter.label)),
    change,
    clear: () => change(Object.fromEntries(set.map((name) => [name, undefined]))),
    asOf: asOf ?? openedAt,
    isFirstPage: paging.page === 1,
  }
}

const dayNames = ['from', 'to']

function isSet(search: Search): (name: string) => boolean {
  return (name) => search[name] !== undefined
}

/** The words of the address, and how they are changed without adding to the history for each letter. */
export function useSearchState(): [Search, Filters['change']] {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  return [
    search,
    (changes) => void navigate({ to: '.', search: changeSearch(search, changes), replace: !('page' in changes) }),
  ]
}
