// Creates the data folder of the embedded database with its roles, passwords and database, in a temporary folder that
// is renamed when it is complete. So a first run that dies leaves no partial database.
//
// The server can be reached only through the folder of its socket, so the passwords are a second protection. They also
// keep the service from acting as the owner by mistake.

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import type { Cluster } from './cluster.ts'
import { readIfThere, writeWhole, chownFolder, ignoreErrors, syncFolder } from './folders.ts'
import { runToEnd } from './launch.ts'
import { tellingLine } from './server-process.ts'

export const roles = { admin: 'postgres', owner: 'manilla_owner', service: 'manilla_service' } as const
const database = 'manilla'

export type RolePasswords = Record<keyof typeof roles, string>

/** Written before the data, so that no data exists without its passwords. */
async function makePasswords(cluster: Cluster): Promise<RolePasswords> {
  const made = { admin: newPassword(), owner: newPassword(), service: newPassword() }
  await writeWhole(cluster.passwords, `${JSON.stringify(made, null, 2)}\n`, 0o600)
  return made
}

export async function readPasswords(cluster: Cluster): Promise<RolePasswords> {
  const unchecked = parse((await readIfThere(cluster.passwords)) ?? '') as Partial<RolePasswords> | undefined
  const { admin, owner, service } = unchecked ?? {}
  if (typeof admin === 'string' && typeof owner === 'string' && typeof service === 'string') {
    return { admin, owner, service }
  }
  throw new OperatorError(
    `${cluster.passwords} is missing or damaged, and the database beside it does not open without it: restore it ` +
      'from a backup, or set DATA_DIR to another folder.',
  )
}

export function urlOf(role: keyof typeof roles, passwords: RolePasswords, socketFolder: string): string {
  return `postgres://${roles[role]}:${passwords[role]}@/${database}?host=${encodeURIComponent(socketFolder)}&port=5432`
}

/** Letters and digits, so that it needs no quoting. */
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

const initializeLimitMs = 2 * minuteMs
const versionLimitMs = 10_000

/** Call this inside `inTurn`. */
export async function ensureInitialized(cluster: Cluster): Promise<void> {
  const version = await readIfThere(join(cluster.data, 'PG_VERSION'))
  if (version !== undefined) return await checkVersion(cluster, version.trim())
  if ((await stat(cluster.data).catch(ignoreErrors('ENOENT'))) !== undefined) {
    throw new OperatorError(
      `${cluster.data} exists but holds no PostgreSQL data: restore it from a backup, or move it away to start anew.`,
    )
  }
  cluster.onStep('preparing the database')
  await initialize(cluster)
}

async function initialize(cluster: Cluster): Promise<void> {
  await removeUnfinished(cluster)
  const unfinished = `${cluster.data}.new-${randomBytes(4).toString('hex')}`
  try {
    const passwords = await makePasswords(cluster)
    await mkdir(unfinished, { mode: 0o700 })
    const { account } = cluster.launcher
    if (account !== undefined) await chownFolder(unfinished, account)
    await makeFiles(cluster, unfinished)
    await makeRoles(cluster, unfinished, passwords)
    await rename(unfinished, cluster.data)
    await syncFolder(cluster.home)
  } catch (error) {
    await removeUnfinished(cluster)
    throw error
  }
}

async function makeFiles(cluster: Cluster, folder: string): Promise<void> {
  // A server that is started by hand from this folder, without our settings, admits only its own account.
  const access = ['--auth-local=peer', '--auth-host=reject']
  const args = ['-D', cluster.launcher.pathOf(folder), '-U', roles.admin, '--encoding=UTF8', '--locale=C', ...access]
  if (!cluster.durable) args.push('--no-sync')
  const { code, output } = await runToEnd(cluster.launcher, cluster.launcher.binaries.initdb, args, {
    limitMs: initializeLimitMs,
  })
  if (code !== 0) throw failure(cluster, output)
}

/** Uses single-user mode, in which no client can connect before the passwords are set. */
async function makeRoles(cluster: Cluster, folder: string, passwords: RolePasswords): Promise<void> {
  const { admin, owner, service } = roles
  // Single-user mode requires one statement per line.
  const statements = [
    `alter role ${admin} password '${passwords.admin}'`,
    // The owner may create databases, so that an operator can try a backup and tests can run beside the real database.
    `create role ${owner} login createdb password '${passwords.owner}'`,
    `create role ${service} login password '${passwords.service}'`,
    // Only the administrator may use the other databases, or large objects in this one. The database below is created
    // from template1 and inherits that, as later ones do.
    'revoke connect on database postgres from public',
    'revoke connect on database template1 from public',
    'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public',
    // A migration, which runs as the owner, can grant privileges to the service only as a member of its role.
    `grant ${service} to ${owner}`,
    // Lets the owner run a checkpoint before a backup or a measurement.
    `grant pg_checkpoint to ${owner}`,
    `create database ${database} owner ${owner}`,
    `revoke all on database ${database} from public`,
    `grant connect on database ${database} to ${service}`,
  ]
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_checkpoints=off']
  // Tests use one iteration of SCRAM, because each of their thousands of connections computes the iterations.
  if (!cluster.durable) settings.push('-c', 'fsync=off', '-c', 'scram_iterations=1')
  const args = ['--single', '-D', cluster.launcher.pathOf(folder), ...settings, 'template1']
  const { code, output } = await runToEnd(cluster.launcher, cluster.launcher.binaries.postgres, args, {
    limitMs: initializeLimitMs,
    input: `${statements.join(';\n')};\n`,
  })
  if (code !== 0) throw failure(cluster, output)
}

async function removeUnfinished(cluster: Cluster): Promise<void> {
  for (const name of await readdir(cluster.home)) {
    if (!name.startsWith(`${basename(cluster.data)}.new-`)) continue
    // This can fail, because an initdb whose Manilla was killed may still write to the folder. The next initialization
    // removes what is left.
    await rm(join(cluster.home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}

async function checkVersion(cluster: Cluster, version: string): Promise<void> {
  const { postgres } = cluster.launcher.binaries
  const { code, output } = await runToEnd(cluster.launcher, postgres, ['--version'], { limitMs: versionLimitMs })
  if (code !== 0) {
    throw new OperatorError(
      `The embedded PostgreSQL does not run on this machine (${tellingLine(output)}): set DATABASE_URL instead.`,
    )
  }
  const ours = /(\d+)/.exec(output)?.[1]
  if (ours === version) return
  throw new OperatorError(
    `The database in DATA_DIR ${cluster.dataDir} was made by PostgreSQL ${version}, and this Manilla brings ` +
      `PostgreSQL ${ours}: start the Manilla that made it, or move the data over with pg_dump.`,
  )
}

function failure(cluster: Cluster, output: string): OperatorError {
  return new OperatorError(`The database in DATA_DIR ${cluster.dataDir} could not be prepared: ${tellingLine(output)}`)
}
