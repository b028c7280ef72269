// The people of a business, and the permissions of each role.

import { queryOptions } from '@tanstack/react-query'
import { ask, underBusiness, type Environment } from './client.ts'
import type { Permission, Role } from './me.ts'

export type Member = {
  id: string
  name: string
  email: string
  role: Role
  hasSecondFactor: boolean
  seenAt: string | null
  isYou: boolean
}

export type Invitation = {
  id: string
  email: string
  role: Role
  createdAt: string
  expiresAt: string
  invitedBy: string
}

/** `sendsMail`: the service e-mails the links, and the page shows none. */
export type Team = { people: Member[]; invitations: Invitation[]; sendsMail: boolean }

export function teamQuery(businessId: string) {
  return queryOptions({
    queryKey: [businessId, 'team'],
    queryFn: async () => (await ask<Team>(underBusiness(businessId, 'people'))).data,
  })
}

export type Answer = 'yes' | 'step-up' | 'no'
export type RolesTable = {
  roles: Role[]
  permissions: ({ name: Permission; title: string } & Record<Environment, Record<Role, Answer>>)[]
}

export function rolesQuery(businessId: string) {
  return queryOptions({
    queryKey: [businessId, 'roles'],
    queryFn: async () => (await ask<RolesTable>(underBusiness(businessId, 'roles'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** A link is shown once: only its hash is kept. Null: it was sent by e-mail. */
type MadeLink = { link: string | null; expiresAt: string }

export async function invite(businessId: string, email: string, role: Role): Promise<MadeLink> {
  const options = { method: 'POST', body: { email, role } } as const
  return (await ask<MadeLink>(underBusiness(businessId, 'invitations'), options)).data
}

export async function withdrawInvitation(businessId: string, id: string): Promise<void> {
  await ask(underBusiness(businessId, `invitations/${encodeURIComponent(id)}`), { method: 'DELETE' })
}

export async function changeRole(businessId: string, personId: string, role: Role): Promise<void> {
  await ask(underBusiness(businessId, `people/${encodeURIComponent(personId)}`), { method: 'PATCH', body: { role } })
}

export async function removePerson(businessId: string, personId: string): Promise<void> {
  await ask(underBusiness(businessId, `people/${encodeURIComponent(personId)}`), { method: 'DELETE' })
}

export async function makeResetLink(businessId: string, personId: string): Promise<MadeLink> {
  const path = underBusiness(businessId, `people/${encodeURIComponent(personId)}/reset-link`)
  return (await ask<MadeLink>(path, { method: 'POST' })).data
}
