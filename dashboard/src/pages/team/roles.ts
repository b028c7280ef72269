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

/** An owner manages all other people, an admin neither owners nor admins. The server checks it again. */
export function canManage(own: Role, other: Role): boolean {
  return own === 'owner' || (other !== 'owner' && other !== 'admin')
}

export function rolesGivenBy(own: Role): { value: Role; label: string }[] {
  const all = Object.entries(roleWords).map(([value, label]) => ({ value: value as Role, label }))
  return all.filter(({ value }) => canManage(own, value))
}
