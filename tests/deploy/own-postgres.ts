// A PostgreSQL such as a company runs: Debian's programs, TLS, its log archived, the roles made by deploy/postgresql.

import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeTestCertificate } from '#tests/platform/fixtures/test-certificate.ts'
import { manilla, start } from '#tests/cli/support.ts'
import { freePort, type Ended, type Running } from '#tests/support/launch.ts'
import { eventually } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { findAccount } from '#postgres/embedded/launch.ts'
import { passwords } from './roles.ts'
import { deployFolder, findTool, run, type Run } from './tools.ts'

export const ownPostgresTools = [
  'initdb',
  'postgres',
  'psql',
  'pg_dump',
  'pg_restore',
  'pg_basebackup',
  'pg_verifybackup',
]

export function hasOwnPostgres(): boolean {
  return ownPostgresTools.every((name) => findTool(name) !== undefined)
}

export const settings = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }

export type OwnPostgres = {
  folder: string
  archive: string
  certificate: string
  urlOf(role: 'postgres' | 'manilla_owner' | 'manilla_app', database: string): string
  /** Runs a script as the account that runs PostgreSQL. */
  script(name: string, args: string[], env?: Record<string, string>): Promise<Run>
  /** Runs `manilla` on one of its databases. */
  manilla(args: string[], options?: { database?: string; env?: Record<string, string> }): Promise<Ended>
  ask(sql: string, database?: string): Promise<string>
  stop(): Promise<void>
}

const account = await (async (): Promise<{ uid: number; gid: number } | undefined> => {
  if (process.geteuid?.() !== 0) return undefined
  const passwd = await readFile('/etc/passwd', 'utf8')
  const found = findAccount(passwd, 'postgres') ?? findAccount(passwd, 'nobody')
  return found === undefined ? undefined : { uid: found.uid, gid: found.gid }
})()

/** A folder of the account that runs PostgreSQL. */
export async function newOwnFolder(name: string): Promise<string> {
  const folder = await newFolder(name)
  if (account !== undefined) await chown(folder, account.uid, account.gid)
  return folder
}

/** Makes a new one and starts it. */
export async function makeOwnPostgres(): Promise<OwnPostgres> {
  const folder = await newOwnFolder('own-postgres')
  const data = path.join(folder, 'data')
  const made = await run(
    findTool('initdb') ?? '',
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C'],
    account,
  )
  if (made.code !== 0) throw new Error(made.stderr)
  const archive = path.join(folder, 'wal')
  await mkdir(archive, { mode: 0o700 })
  const { key, cert } = makeTestCertificate(['localhost', '127.0.0.1'])
  const certificate = path.join(folder, 'server.crt')
  for (const [file, text] of [
    [certificate, cert],
    [path.join(folder, 'server.key'), key],
  ] as const) {
    await writeFile(file, text, { mode: file === certificate ? 0o644 : 0o600 })
  }
  const archiving = `archive_command = '${deployFolder}/postgresql/archive-wal.sh %p ${archive} %f'`
  const lines = [
    'archive_mode = on',
    archiving,
    'ssl = on',
    `ssl_cert_file = '${certificate}'`,
    `ssl_key_file = '${folder}/server.key'`,
  ]
  await writeFile(path.join(folder, 'more.conf'), lines.join('\n'))
  if (account !== undefined) {
    for (const owned of [archive, certificate, path.join(folder, 'server.key')])
      await chown(owned, account.uid, account.gid)
  }
  // The archive and the certificate belong to the source; a restored server has neither.
  const postgres = await startOn(folder, data, [`include = '${folder}/more.conf'`])
  const roles = await postgres.script('roles.sh', [], { ...passwords, PGHOST: '127.0.0.1', PGPORT: portOf(postgres) })
  if (roles.code !== 0) throw new Error(roles.stderr)
  return postgres
}

/** Starts PostgreSQL on a data folder, and resolves when it takes connections. */
export async function startOn(folder: string, data: string, lines: string[] = []): Promise<OwnPostgres> {
  const port = await freePort()
  const config = path.join(data, 'manilla-test.conf')
  await writeFile(config, [`include = '${data}/postgresql.conf'`, ...lines].join('\n'))
  const options = ['-c', `config_file=${config}`, '-c', `listen_addresses=127.0.0.1`, '-p', String(port), '-k', folder]
  const process = await start([findTool('postgres') ?? '', '-D', data, ...options], { ...account, cwd: folder })
  const urlOf: OwnPostgres['urlOf'] = (role, database) => {
    const password = { postgres: 'any', manilla_owner: passwords.OWNER_PASSWORD, manilla_app: passwords.APP_PASSWORD }[
      role
    ]
    return `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
  }
  const script: OwnPostgres['script'] = (name, args, env = {}) => {
    const tools = path.dirname(findTool('initdb') ?? '')
    const PATH = `${globalThis.process.env['PATH']}:${tools}`
    return run(path.join(deployFolder, 'postgresql', name), args, { ...account, cwd: folder, env: { ...env, PATH } })
  }
  const ask: OwnPostgres['ask'] = async (sql, database = 'manilla') => {
    const answer = await run(findTool('psql') ?? '', [
      '-XqAt',
      '-v',
      'ON_ERROR_STOP=1',
      '-c',
      sql,
      urlOf('postgres', database),
    ])
    if (answer.code !== 0) throw new Error(answer.stderr)
    return answer.stdout.trim()
  }
  await eventually('PostgreSQL to take connections', () => ask('select 1', 'postgres').catch(() => undefined))
  return {
    folder,
    archive: path.join(folder, 'wal'),
    certificate: path.join(folder, 'server.crt'),
    urlOf,
    script,
    ask,
    manilla: (args, { database = 'manilla', env = {} } = {}) => {
      const urls = {
        DATABASE_URL: urlOf('manilla_app', database),
        MIGRATION_DATABASE_URL: urlOf('manilla_owner', database),
      }
      return manilla(args, { env: { ...settings, ...urls, ...env } })
    },
    stop: () => stop(process),
  }
}

async function stop(process: Running): Promise<void> {
  process.signal('SIGINT')
  await process.ended
}

function portOf(postgres: OwnPostgres): string {
  return new URL(postgres.urlOf('postgres', 'postgres')).port
}
