// The roles in words.

import type { Role } from '#api/me.ts'

export const roleWords: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  finance: 'Finance',
  support: 'Support',
  viewer: 'Viewer',
}

/** An admin gives no role as strong as their own; the server judges it again. */
export function rolesGivenBy(role: Role): { value: Role; label: string }[] {
  const all = Object.entries(roleWords).map(([value, label]) => ({ value: value as Role, label }))
  return role === 'owner' ? all : all.filter(({ value }) => value !== 'owner' && value !== 'admin')
}
