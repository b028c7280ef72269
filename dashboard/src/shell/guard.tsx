// Shows no page of the dashboard before sign-in. If a session ends while a person works, a dialog over the page renews
// it. A person who opens a page without a session goes to the sign-in page first, and then returns to the page.

import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { meQuery } from '#api/me.ts'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { Challenges } from './challenges.tsx'
import { paths } from './paths.ts'

export function Guard() {
  const { data, error, refetch } = useQuery(meQuery)
  if (data === undefined && error instanceof ApiFailure && error.status === 401) {
    const due = new Set(error.details.map(({ field }) => field))
    return <ToSignIn path={due.has('code') ? paths.code : paths.signIn} hasPasskey={due.has('passkey')} />
  }
  if (data === undefined && error !== null) return <ErrorState isPage failure={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonLines />
  return (
    <>
      <Outlet />
      <Challenges />
    </>
  )
}

/**
 * The path to return to is fixed on the first render. A component that follows the location would see it change before
 * the sign-in page is shown, take that page as the path to return to, and redirect again and again.
 */
function ToSignIn({ path, hasPasskey }: { path: string; hasPasskey: boolean }) {
  const router = useRouter()
  const [next] = useState(() => router.latestLocation.href)
  return <Navigate to={path} search={{ ...(hasPasskey ? { with: 'passkey' } : {}), next }} replace />
}
