// A page whose permission the role does not have says so, and who could change that, in place of an empty page.

import { useQuery } from '@tanstack/react-query'
import { useMatches } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Permission } from '#api/me.ts'
import { teamQuery } from '#api/team.ts'
import { joinWords } from '#format/ids.ts'
import { EmptyState } from '#ui/states.tsx'
import { usePlace, useRoleRefusal } from './place.ts'

export function Permitted({ children }: { children: ReactNode }) {
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
