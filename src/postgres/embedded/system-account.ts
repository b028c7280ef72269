// The system account that runs PostgreSQL: the current user or, for root, another account, because PostgreSQL refuses
// to run as root. That is the owner of the data, else `postgres`, else `nobody`.

import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperatorError } from '#platform/errors.ts'

export type SystemAccount = { name: string; uid: number; gid: number }

/**
 * Undefined means the current user. Otherwise the owner of the first path in `owned` that root does not own decides.
 */
export async function chooseAccount(owned: string[]): Promise<SystemAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  for (const path of owned) {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || found.uid === 0) continue
    // Data that an ordinary user made stays theirs, so that they can continue without root.
    const { uid, gid } = found
    const name = new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm').exec(passwd)?.[1] ?? `number ${uid}`
    return { name, uid, gid }
  }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const account = findAccount(passwd, name)
    if (account !== undefined) return account
  }
  throw new OperatorError(
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody: run Manilla as ' +
      'an ordinary user, or set DATABASE_URL.',
  )
}

export function findAccount(passwd: string, name: string): SystemAccount | undefined {
  for (const line of passwd.split('\n')) {
    const [user, , uid, gid] = line.split(':')
    if (user !== name || uid === undefined || gid === undefined) continue
    const account = { name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) }
    // On macOS the uid of nobody is -2, which no system call accepts; a second name of root does not help either.
    if (account.uid > 0 && account.gid >= 0) return account
  }
  return undefined
}

/** The first folder on the path to `path` that the account may not enter. */
export async function findBarrier(path: string, account: SystemAccount): Promise<string | undefined> {
  const parent = dirname(path)
  const barrier = parent === path ? undefined : await findBarrier(parent, account)
  if (barrier !== undefined) return barrier
  const { mode, uid, gid } = await stat(path)
  const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & enter) === 0 ? path : undefined
}
