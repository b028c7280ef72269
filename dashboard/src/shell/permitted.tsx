// In place of a page that the role may not open, says so and names the owners, who can change the role.

import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation, useMatches } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Permission } from '#api/me.ts'
import { teamQuery } from '#api/team.ts'
import { joinWords } from '#format/ids.ts'
import { Stack } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Notice } from '#ui/states.tsx'
import { paths } from './paths.ts'
import { isFactorDue, useMe, useMembership, usePlace, useRoleRefusal } from './place.ts'

export function Permitted({ children }: { children: ReactNode }) {
  const isDue = isFactorDue(useMe(), useMembership())
  return isDue ? <FactorFirst>{children}</FactorFirst> : <OfRole>{children}</OfRole>
}

/** Allows only the profile to a person whose role needs a second factor and who has none. */
function FactorFirst({ children }: { children: ReactNode }) {
  const { name, role } = useMembership()
  const profile = paths.profile(usePlace())
  const { pathname } = useLocation()
  // The address changes while the earlier page is still mounted, and that page would ask for data that it may not read.
  const isProfile = useMatches().some(({ routeId }) => String(routeId).endsWith('/profile'))
  if (pathname !== profile) return <Navigate to={profile} replace />
  if (!isProfile) return null
  return (
    <Stack isWide>
      <Notice tone="asks">
        {name} requires a second factor of your role, {role}. Set one up below to go on.
      </Notice>
      <div>{children}</div>
    </Stack>
  )
}

function OfRole({ children }: { children: ReactNode }) {
  const permission = useMatches()
    .map(({ staticData }) => staticData.permission)
    .findLast((found) => found !== undefined)
  return permission === undefined ? children : <IfPermitted permission={permission}>{children}</IfPermitted>
}

function IfPermitted({ permission, children }: { permission: Permission; children: ReactNode }) {
  const refusal = useRoleRefusal(permission)
  return refusal === undefined ? children : <Refused says={refusal} />
}

export function Refused({ says }: { says: string }) {
  const { businessId } = usePlace()
  const { data } = useQuery({ ...teamQuery(businessId), retry: false })
  const owners = (data?.people ?? []).filter(({ role }) => role === 'owner').map(({ name }) => name)
  return (
    <EmptyState
      isPage
      title="Not for your role"
      says={owners.length === 0 ? says : `${says} ${owners.length === 1 ? 'Owner' : 'Owners'}: ${joinWords(owners)}.`}
    />
  )
}
