// PgBouncer as Debian has it, in front of a PostgreSQL on a socket, in a folder of its own. simulate/ uses it too.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { findTool } from '#tests/deploy/tools.ts'
import { eventually } from './patience.ts'
import { endsWith } from './run.ts'

const program = findTool('pgbouncer')
const nobody = 65_534

export const hasPgBouncer = program !== undefined

export type PgBouncer = {
  /** The given address, but through PgBouncer. */
  url: string
  /** How many sessions with PostgreSQL it has open. */
  sessions(): Promise<number>
  stop(): Promise<void>
}

export type PgBouncerOptions = {
  /** The address for the service's login, on a socket. */
  url: string
  /** An empty folder for its settings and its own socket. */
  folder: string
  /** PgBouncer ends with this run. */
  runFolder: string
  mode: 'session' | 'transaction' | 'statement'
  poolSize: number
}

export async function launchPgBouncer({
  url,
  folder,
  runFolder,
  mode,
  poolSize,
}: PgBouncerOptions): Promise<PgBouncer> {
  if (program === undefined) throw new Error('There is no pgbouncer on this machine.')
  const target = new URL(url.replace('@/', '@socket/'))
  const relay = await startRelay(path.join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432'))
  const name = target.pathname.slice(1)
  const [user, password] = [target.username, target.password].map(decodeURIComponent)
  const config = path.join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    // Every database that a client asks for.
    `* = host=127.0.0.1 port=${relay.port} user=${quoted(user)} password=${quoted(password)}`,
    '[pgbouncer]',
    'listen_port = 5432', // The name of the socket contains the port.
    `unix_socket_dir = ${folder}`,
    'auth_type = any', // Only tests can reach this folder.
    'stats_users = statistics',
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 1000',
    'server_login_retry = 1', // A PostgreSQL that was killed is back in a second or two.
  ]
  await writeFile(config, lines.join('\n'))
  await chmod(folder, 0o755)
  // PgBouncer refuses to run as root.
  const asRoot = process.geteuid?.() === 0
  if (asRoot) await chown(folder, nobody, nobody)
  const child = spawn(program, ['-q', config], {
    stdio: 'ignore',
    ...(asRoot ? { uid: nobody, gid: nobody } : {}),
  })
  endsWith(runFolder, child)
  const ended = once(child, 'exit')
  const as = (login: string, database: string): string => `postgres://${login}@/${database}?host=${folder}`
  const through = as('any', name)
  await eventually('PgBouncer to take connections', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
    return ask(through, 'select 1').catch(() => undefined)
  })
  return {
    url: through,
    async sessions() {
      const servers = await ask(as('statistics', 'pgbouncer'), 'show servers')
      return servers.filter(({ database }) => database === name).length
    },
    async stop() {
      child.kill('SIGINT')
      await ended
      relay.close()
    },
  }
}

/** A port that leads to the socket, because the account of PgBouncer cannot enter the socket's folder. */
async function startRelay(socket: string): Promise<{ port: number; close(): void }> {
  const server = createServer((visitor) => {
    const upstream = connect(socket)
    visitor.pipe(upstream).pipe(visitor)
    for (const end of [visitor, upstream]) {
      end.on('error', () => undefined)
      end.on('close', () => (visitor.destroy(), upstream.destroy()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

const quoted = (text = ''): string => `'${text.replaceAll("'", "''")}'`

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}
