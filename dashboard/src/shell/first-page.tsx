// `/dashboard` itself leads to the home page of the person's first business, on staging.

import { Navigate } from '@tanstack/react-router'
import { EmptyState } from '#ui/states.tsx'
import { paths } from './paths.ts'
import { useMe } from './place.ts'

export function FirstPage() {
  const { businesses } = useMe()
  const [first] = businesses
  if (first === undefined) {
    return <EmptyState isPage title="You are in no business" says="Ask an owner of a business to invite you to it." />
  }
  return <Navigate to={paths.home({ businessId: first.id, environment: 'staging' })} replace />
}
