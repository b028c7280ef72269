// Detects a pooler such as PgBouncer in front of PostgreSQL. Manilla needs session pooling (pool_mode = session). In
// the other modes, the next statement of a connection may run in another session, without our role, our time limits and
// our prepared statements.

import type pg from 'pg'
import { assert } from '#platform/assert.ts'
import { OperatorError } from '#platform/errors.ts'
import { connectionsPerProcessMax } from './db.ts'
import { openSession } from './sessions.ts'

/**
 * `own`: a session per connection. `shared`: a session per transaction or statement. `exhausted`: the pooler has no
 * free session.
 */
export type Pooler = { kind: 'none' | 'own' | 'shared' | 'exhausted' }

const answerMsMax = 5_000
/**
 * If no other client is active, a pooler that shares sessions shows it at the first attempt: both connections get the
 * same session.
 */
const attemptsMax = 10

/** Changes no session, because another client may get it next. Throws if no server responds. */
export async function findPooler(url: string): Promise<Pooler> {
  const first = await open(url)
  try {
    if ((await sessionOf(first)) === announcedSession(first)) return { kind: 'none' }
    const second = await open(url)
    try {
      return { kind: (await isShared(first, second)) ? 'shared' : 'own' }
    } finally {
      await second.end()
    }
  } catch (error) {
    if (isTimeout(error)) return { kind: 'exhausted' }
    throw error
  } finally {
    await first.end()
  }
}

const perProcess = `at least ${connectionsPerProcessMax} for each process, and some for commands`

export function poolerSentence({ kind }: Pooler, setting = 'DATABASE_URL'): string {
  switch (kind) {
    case 'none':
      return 'connections lead to PostgreSQL without a pooler'
    case 'own':
      return `a pooler gives each connection a session of its own: its default_pool_size must be ${perProcess}`
    case 'shared':
      return (
        `${setting} leads through a pooler that shares sessions between connections, so the service would lose its role, its ` +
        `time limits and its prepared statements: set pool_mode = session, or set ${setting} to PostgreSQL itself`
      )
    case 'exhausted':
      return (
        `${setting} leads to a server that accepts connections and does not answer, as a pooler does if all its sessions are ` +
        `in use: raise its default_pool_size to ${perProcess}`
      )
  }
}

/**
 * Throws if a pooler shares sessions or has none left. Ignores an unreachable server, which the next connection
 * reports.
 */
export async function requireOwnSessions(url: string, setting?: string): Promise<void> {
  const pooler = await findPooler(url).catch(() => undefined)
  if (pooler === undefined || pooler.kind === 'none' || pooler.kind === 'own') return
  throw poolerRefusal(pooler, setting)
}

export function poolerRefusal(pooler: Pooler, setting?: string): OperatorError {
  const sentence = poolerSentence(pooler, setting)
  return new OperatorError(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`)
}

function open(url: string): Promise<pg.Client> {
  return openSession(url, { query_timeout: answerMsMax })
}

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const [row] = rows
  assert(row !== undefined, 'a session has a number')
  return row.pid
}

/**
 * The process id that was announced when the session started. PostgreSQL announces the real one; a pooler invents one.
 */
function announcedSession(client: pg.Client): unknown {
  return 'processID' in client ? client.processID : undefined
}

async function isShared(first: pg.Client, second: pg.Client): Promise<boolean> {
  const [ours, theirs] = [await sessionOf(first), await sessionOf(second)]
  if (ours === theirs) return true
  for (let attempt = 1; attempt < attemptsMax; attempt += 1)
    if ((await sessionOf(first)) !== ours || (await sessionOf(second)) !== theirs) return true
  return false
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(error.message)
}
