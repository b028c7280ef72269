// Sessions of the migration, and descriptions of the sessions that block it.

import type pg from 'pg'
import { openSession as openToPrimary } from '#platform/db/sessions.ts'

const namedMax = 3

// A server, database or role may have timeouts for the service. Building an index of a large table takes hours, while
// the transaction that locks out other migrations is idle. PostgreSQL 15 and 16 have no transaction_timeout, hence
// the query.
const unlimited = `select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')`

/** Aborting `stop` ends the session in the middle of a statement, which then fails. */
export async function openSession(ownerUrl: string, stop?: AbortSignal): Promise<pg.Client> {
  stop?.throwIfAborted()
  // Shows operators that a session waits for a migration.
  const client = await openToPrimary(ownerUrl, { application_name: 'manilla migrate' })
  try {
    const answer = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    if (stop !== undefined) endOn(stop, client, () => endBackend(ownerUrl, answer.rows[0]?.pid))
    await client.query(unlimited)
  } catch (error) {
    await client.end()
    throw error
  }
  return client
}

function endOn(stop: AbortSignal, client: pg.Client, end: () => Promise<void>): void {
  const ending = (): void => void end().catch(() => client.end())
  stop.addEventListener('abort', ending)
  client.on('end', () => stop.removeEventListener('abort', ending))
}

/** A server that builds an index does not notice that its client is gone. */
async function endBackend(ownerUrl: string, pid: number | undefined): Promise<void> {
  const session = await openSession(ownerUrl)
  try {
    await session.query('select pg_terminate_backend($1)', [pid])
  } finally {
    await session.end()
  }
}

/** `text` is for the operator. Both are empty if no session was found. */
export type BlockerRow = { pids: string; text: string }

/** `which` is a query that returns a column `pid`. */
export async function findSessions(client: pg.Client, which: string, values: unknown[]): Promise<BlockerRow> {
  const { rows } = await client.query<SessionRow>(
    `select b.pid, nullif(a.application_name, '') as application, a.usename as login,
            coalesce(a.state, a.backend_type) as state, to_char(a.xact_start at time zone 'UTC', 'HH24:MI:SS') as since
       from (${which}) as b left join pg_stat_activity as a on a.pid = b.pid
      group by 1, 2, 3, 4, 5 order by 1`,
    values,
  )
  const named = rows.slice(0, namedMax).map(describeSession)
  const more = rows.length - named.length
  return {
    pids: rows.map(({ pid }) => String(pid)).join(),
    text: named.join(', ') + (more > 0 ? ` and ${more} more` : ''),
  }
}

/** State and time of another login's session are null, except for members of pg_read_all_stats. */
type SessionRow = {
  pid: number | null
  application: string | null
  login: string | null
  state: string | null
  since: string | null
}

function describeSession({ pid, application, login, state, since }: SessionRow): string {
  if (pid === 0 || pid === null) return 'a prepared transaction (see pg_prepared_xacts)'
  const details = [
    application,
    login === null ? null : `user ${login}`,
    state,
    since === null ? null : `in a transaction since ${since} UTC`,
  ].filter((detail) => detail !== null)
  return details.length === 0 ? `pid ${pid}` : `pid ${pid} (${details.join(', ')})`
}
