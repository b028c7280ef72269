// Nobody sees a page of the house before they are signed in. A session that ends while somebody works is renewed in a
// dialog over the page; one that was not there leads to the page for signing in, and back.

import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { meQuery } from '#api/me.ts'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'

const Challenges = lazy(async () => ({ default: (await import('./challenges.tsx')).Challenges }))

export function Guard() {
  const { data, error, refetch } = useQuery(meQuery)
  const { href } = useLocation()
  if (data === undefined && error instanceof ApiFailure && error.status === 401) {
    const isHalf = error.details.some(({ field }) => field === 'code')
    return <Navigate to={isHalf ? '/sign-in/code' : '/sign-in'} search={{ next: href }} replace />
  }
  if (data === undefined && error !== null) return <ErrorState isPage failure={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonLines />
  return (
    <>
      <Outlet />
      <Suspense>
        <Challenges />
      </Suspense>
    </>
  )
}
