// The filters, the page and the columns of a list are part of the address, as plain words, so that a view can be
// reloaded, shared and saved. Pure functions; tests/dashboard checks that they parse what they print.

export type Search = Readonly<Record<string, string>>

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Begins with a question mark; empty without a parameter. */
export function printSearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') params.set(name, value)
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** An empty value or undefined removes a parameter. A change of a filter returns to the first page. */
export function changeSearch(search: Search, changes: Readonly<Record<string, string | undefined>>): Search {
  const isTurning = Object.keys(changes).every((name) => unpaged.has(name))
  const kept = Object.entries(search).filter(([name]) => isTurning || !paging.has(name))
  const all = Object.entries({ ...Object.fromEntries(kept), ...changes })
  return Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''))
}

const paging = new Set(['page', 'createdUntil', 'behind'])
/** Parameters that may change without a return to the first page. */
const unpaged = new Set([...paging, 'columns', 'tab', 'entry'])

export const pageSizes = [20, 50, 100]

export type Paging = { page: number; limit: number }

/** Replaces invalid values with defaults, because the address may contain anything. */
export function readPaging(search: Search): Paging {
  const page = Math.floor(Number(search['page'] ?? 1))
  const limit = Number(search['limit'] ?? pageSizes[0])
  return { page: page >= 1 ? page : 1, limit: pageSizes.includes(limit) ? limit : 20 }
}
