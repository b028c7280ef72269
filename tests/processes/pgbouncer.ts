// PgBouncer as Debian has it, in front of the PostgreSQL of the tests, in a folder and on a port of its own.

import { writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { freePort, ordinaryUid, start } from '#tests/cli/support.ts'
import { findTool } from '#tests/deploy/tools.ts'
import { eventually } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'

const program = findTool('pgbouncer')

export const hasPgBouncer = program !== undefined
if (!hasPgBouncer)
  process.stderr.write('There is no pgbouncer on this machine: the tests that put it in front are skipped.\n')

export type PgBouncer = {
  /** The address that it was given, but through it. */
  url: string
  /** Of its own counters, since it started: how many sessions with PostgreSQL it holds now. */
  sessions(): Promise<number>
  stop(): Promise<void>
}

export type PgBouncerOptions = { mode: 'session' | 'transaction' | 'statement'; poolSize: number }

/** `url`: of the service's login, on a socket. */
export async function startPgBouncer(url: string, { mode, poolSize }: PgBouncerOptions): Promise<PgBouncer> {
  const [folder, port] = [await newFolder('pgbouncer'), await freePort()]
  const target = new URL(url.replace('@/', '@socket/'))
  const relay = await startRelay(path.join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432'))
  const name = target.pathname.slice(1)
  const [user, password] = [target.username, target.password].map(decodeURIComponent)
  const config = path.join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `${name} = host=127.0.0.1 port=${relay.port} dbname=${quoted(name)} user=${quoted(user)} password=${quoted(password)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // Whoever reaches this port is a test; the login is that of the line above.
    'auth_type = any',
    'stats_users = statistics',
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 1000',
  ]
  await writeFile(config, lines.join('\n'))
  // It refuses to run as root.
  const account = process.geteuid?.() === 0 ? { uid: ordinaryUid } : {}
  const running = await start([program ?? '', config], { cwd: folder, ...account })
  const through = `postgres://any@127.0.0.1:${port}/${name}`
  const ended = running.ended.then(({ stderr }) => Promise.reject(new Error(`PgBouncer ended: ${stderr}`)))
  const up = eventually('PgBouncer to take connections', () => ask(through, 'select 1').catch(() => undefined))
  ended.catch(() => undefined)
  await Promise.race([up, ended])
  return {
    url: through,
    async sessions() {
      const pools = await ask(`postgres://statistics@127.0.0.1:${port}/pgbouncer`, 'show servers')
      return pools.filter(({ database }) => database === name).length
    },
    async stop() {
      running.signal('SIGINT')
      await running.ended
      relay.close()
    },
  }
}

/** A port that leads to the socket, whose folder is closed to the account that PgBouncer runs as. */
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
