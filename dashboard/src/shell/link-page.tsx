// Shared by the pages behind e-mailed links. The token follows `#`, so no proxy log has it. The page checks the token
// before it asks the person for anything.

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { readLink, type Link } from '#api/sign-in.ts'
import { ApiFailure } from '#api/failure.ts'
import { ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { Outside } from './outside.tsx'

type LinkPageProps = { title: string; kind: Link['kind']; children: (link: Link, token: string) => ReactNode }

export function LinkPage({ title, kind, children }: LinkPageProps) {
  const token = location.hash.slice(1)
  const { data, error, refetch } = useQuery({
    queryKey: ['link', token],
    queryFn: () => readLink(token),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data?.kind === kind) return children(data, token)
  const isGone = token === '' || data !== undefined || isRefused(error)
  if (isGone) {
    return (
      <Outside title={title}>
        <Notice tone="failed">
          This link has expired or was already used. Ask the person who sent it for a new one.
        </Notice>
      </Outside>
    )
  }
  return (
    <Outside title={title}>
      {error === null ? <SkeletonLines /> : <ErrorState failure={error} onRetry={() => void refetch()} />}
    </Outside>
  )
}

/** Status 429 (too many requests) says nothing about the link. */
function isRefused(error: Error | null): boolean {
  return error instanceof ApiFailure && error.status >= 400 && error.status < 500 && error.status !== 429
}
