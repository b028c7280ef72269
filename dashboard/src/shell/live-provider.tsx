// Refreshes the data on screen when the live stream reports a change; without a stream, every ten seconds.

import { useQueryClient, type Query, type QueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Place } from '#api/client.ts'
import { gathered } from './gathered.ts'
import { listenTo, type Listening, type LiveState } from './live.ts'
import { usePlace } from './place.ts'
import { readAgain } from './refresh.ts'
import { createShown, type Shown } from './shown.ts'

const Live = createContext<{ state: LiveState; shown: Shown }>({ state: 'connecting', shown: createShown() })

export function useLiveState(): LiveState {
  return use(Live).state
}

/** Registers the records that a page shows, by reference, so that the page gets their changes. */
export function useShown(references: readonly string[]): void {
  const { shown } = use(Live)
  const text = references.join()
  useEffect(() => shown.add(text === '' ? [] : text.split(',')), [shown, text])
}

const pollMs = 10_000
/** Many hints within this time are one refresh. */
const gatherMs = 1_000
/** The nouns in `slow` cost more to compute, so a busy business refreshes them at most this often. */
const slowGatherMs = 5_000
const slow = new Set<unknown>(['figures', 'alerts', 'ended'])
/** The next refresh waits at most this long for a read that does not end. */
const readMsMax = 10_000
/**
 * Kinds of cached answers that a changed payment leaves as they are. `account-name` and `wallet` are the holders'
 * names, as a bank or a mobile operator gave them.
 */
const unmoved = new Set<unknown>(
  'banks operators account-name wallet fee collection-fee search views go-live keys'.split(' '),
)

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const { businessId, environment } = usePlace()
  const [state, setState] = useState<LiveState>('connecting')
  const [shown] = useState(createShown)
  useEffect(() => {
    const place = { businessId, environment }
    const most = gathered(gatherMs, () => refresh(queries, place, (noun) => !slow.has(noun)))
    const rest = gathered(slowGatherMs, () => refresh(queries, place, (noun) => slow.has(noun)))
    const onHint = (): void => {
      most.hint()
      rest.hint()
    }
    const listening: Listening = listenTo(place, { onHint, onState: setState })
    const unwatch = shown.watch(listening.show)
    return () => {
      unwatch()
      listening.stop()
      most.stop()
      rest.stop()
    }
  }, [queries, shown, businessId, environment])
  useEffect(() => {
    if (state !== 'polling') return
    const timer = setInterval(() => void refresh(queries, { businessId, environment }), pollMs)
    return () => {
      clearInterval(timer)
      // The stream is open again, but does not report what happened in between.
      void refresh(queries, { businessId, environment })
    }
  }, [state, queries, businessId, environment])
  const value = useMemo(() => ({ state, shown }), [state, shown])
  return <Live value={value}>{children}</Live>
}

/** Reads the data on screen again at once, and other data when it is next shown. */
function refresh(
  queries: QueryClient,
  { businessId, environment }: Place,
  isWanted: (noun: unknown) => boolean = () => true,
): Promise<void> {
  const isMoved = ({ queryKey }: Query): boolean => !unmoved.has(queryKey[2]) && isWanted(queryKey[2])
  return readAgain(queries, { queryKey: [businessId, environment], predicate: isMoved }, readMsMax)
}
