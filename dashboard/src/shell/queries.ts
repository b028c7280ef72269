// How answers are kept, and which failures are tried again: a server that is busy says when, and one that cannot be
// reached may be starting.

import { QueryClient } from '@tanstack/react-query'
import { ApiFailure } from '#api/failure.ts'

const triesMax = 4
const freshMs = 5_000

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (tries, error) => tries < triesMax && mayPass(error),
        retryDelay: (tries, error) => waitMs(tries, error),
      },
    },
  })
}

function mayPass(error: Error): boolean {
  return error instanceof ApiFailure && (error.status === 503 || error.status === 0)
}

function waitMs(tries: number, error: Error): number {
  const asked = error instanceof ApiFailure ? error.retryAfterMs : undefined
  return asked ?? 500 * 2 ** tries
}
