// The roles of the embedded database and their passwords. Only the socket's folder leads to the server, so these are
// the second lock of the door; they also keep the service from acting as the owner by mistake.
import { randomBytes } from 'node:crypto'
import { OperatorError } from '#base/error.ts'
import type { Cluster } from './cluster.ts'
import { readIfThere, writeWhole } from './folder.ts'

export const roles = { admin: 'postgres', owner: 'manilla_owner', service: 'manilla_service' } as const
export const database = 'manilla'

export type Passwords = Record<keyof typeof roles, string>

/** Written before the data that they open, so that there never is data without its passwords. */
export async function makePasswords(cluster: Cluster): Promise<Passwords> {
  const made = { admin: newPassword(), owner: newPassword(), service: newPassword() }
  await writeWhole(cluster.passwords, `${JSON.stringify(made, null, 2)}\n`, 0o600)
  return made
}

export async function readPasswords(cluster: Cluster): Promise<Passwords> {
  const unchecked = parse((await readIfThere(cluster.passwords)) ?? '') as Partial<Passwords> | undefined
  const { admin, owner, service } = unchecked ?? {}
  if (typeof admin === 'string' && typeof owner === 'string' && typeof service === 'string') {
    return { admin, owner, service }
  }
  throw new OperatorError(
    `${cluster.passwords} is missing or damaged, and the database beside it does not open without it: restore it ` +
      'from a backup, or set DATA_DIR to another folder.',
  )
}

export function urlOf(role: keyof typeof roles, passwords: Passwords, socketFolder: string): string {
  return `postgres://${roles[role]}:${passwords[role]}@/${database}?host=${encodeURIComponent(socketFolder)}&port=5432`
}

/** Letters and digits only, so that no place where it stands needs quoting. */
function newPassword(): string {
  return randomBytes(24).toString('hex')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
