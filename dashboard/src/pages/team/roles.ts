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

/** The roles that this role may give: an admin may give neither admin nor owner. The server checks it again. */
export function rolesGivenBy(role: Role): { value: Role; label: string }[] {
  const all = Object.entries(roleWords).map(([value, label]) => ({ value: value as Role, label }))
  return role === 'owner' ? all : all.filter(({ value }) => value !== 'owner' && value !== 'admin')
}
