// Rules for cached answers and temporary failures: a busy server says when to retry, and an unreachable one may be
// starting. Such a request is repeated until it succeeds, so that every page recovers by itself.

import { QueryClient, type Query } from '@tanstack/react-query'
import { ApiFailure } from '#api/failure.ts'

const freshMs = 5_000
/**
 * The longest wait between two tries without Retry-After. So a page stays empty for at most this long after the server
 * is back.
 */
const waitMsMax = 5_000
/** If Retry-After is longer than this, something is missing that will not be fixed by itself, such as a setting. */
const temporaryMsMax = 30_000
/** One failure shows no notice, because it may be a busy moment that no person would notice. */
const triesUntilSaid = 2

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (_tries, error) => isTemporary(error),
        retryDelay: (tries, error) => waitMs(tries, error),
      },
    },
  })
}

/** The sentence for a temporary failure of the data on screen; undefined if there is none. */
export function outageOf(queries: QueryClient): string | undefined {
  const [out] = queries.getQueryCache().findAll({ type: 'active', predicate: isRepeated })
  return out?.state.fetchFailureReason?.message
}

function isRepeated({ state }: Query): boolean {
  const { fetchStatus, fetchFailureCount, fetchFailureReason } = state
  if (fetchStatus === 'idle' || fetchFailureCount < triesUntilSaid) return false
  return fetchFailureReason !== null && isTemporary(fetchFailureReason)
}

function isTemporary(error: Error): boolean {
  if (!(error instanceof ApiFailure)) return false
  return error.status === 0 || (error.status === 503 && (error.retryAfterMs ?? 0) <= temporaryMsMax)
}

function waitMs(tries: number, error: Error): number {
  const asked = error instanceof ApiFailure ? (error.retryAfterMs ?? 0) : 0
  return Math.max(asked, Math.min(500 * 2 ** tries, waitMsMax))
}
