// What is on screen is asked for anew when the stream hints that something changed; without a stream, every ten seconds.

import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import type { Place } from '#api/client.ts'
import { listenTo, type LiveState } from './live.ts'
import { usePlace } from './place.ts'

const Live = createContext<LiveState>('connecting')

export function useLiveState(): LiveState {
  return use(Live)
}

const pollMs = 10_000
/** Many hints within this time are one refresh. */
const gatherMs = 1_000
/** Sums over days, and what only people change, do not move with each payment. */
const unmoved = new Set<unknown>([
  'banks',
  'account-name',
  'fee',
  'figures',
  'alerts',
  'views',
  'go-live',
  'keys',
  'audit',
])

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const { businessId, environment } = usePlace()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const place = { businessId, environment }
    let timer: ReturnType<typeof setTimeout> | undefined
    const gather = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        refresh(queries, place)
      }, gatherMs)
    }
    const stop = listenTo(place, { onHint: gather, onState: setState })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [queries, businessId, environment])
  useEffect(() => {
    if (state !== 'polling') return
    const timer = setInterval(() => refresh(queries, { businessId, environment }), pollMs)
    return () => {
      clearInterval(timer)
      // The stream is back, and tells nothing of what happened since the last look.
      refresh(queries, { businessId, environment })
    }
  }, [state, queries, businessId, environment])
  return <Live value={state}>{children}</Live>
}

/** Only what is shown is asked for at once; the rest when it is shown again. */
function refresh(queries: QueryClient, { businessId, environment }: Place): void {
  void queries.invalidateQueries({
    queryKey: [businessId, environment],
    predicate: ({ queryKey }) => !unmoved.has(queryKey[2]),
  })
}
