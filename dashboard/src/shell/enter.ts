// The steps after a person has signed in.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Next } from '#api/sign-in.ts'
import { useSearchState } from '#table/filters.ts'
import { parseSearch } from '#table/search.ts'
import { paths } from './paths.ts'

/** Opens the page for the code if one is still needed, otherwise the page that the person wanted. */
export function useEnter(): (next: Next) => void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [{ next: wanted = '/' }] = useSearchState()
  return (next) => {
    queries.clear()
    if (next !== null) {
      const search = { ...(next === 'passkey' ? { with: next } : {}), ...(wanted === '/' ? {} : { next: wanted }) }
      void navigate({ to: paths.code, search })
      return
    }
    // Accepts only a path of the dashboard, because a link from outside must not redirect to another site.
    const isOwn = /^\/[^/\\]/.test(wanted)
    const [path = '/', search = ''] = isOwn ? wanted.split('?') : ['/']
    void navigate({ to: path, search: parseSearch(search), replace: true })
  }
}
