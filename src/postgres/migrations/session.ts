// Sessions of a migration, and how it waits for the sessions that block it.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openSession as openToPrimary } from '#platform/db/sessions.ts'

const namedMax = 3

// Switches off all timeouts. A server, database or role may have timeouts that suit the service, but building an index
// of a large table takes hours, while the transaction that locks out other migrations is idle. PostgreSQL 15 and 16
// have no transaction_timeout, so the query sets only settings that exist.
const unlimited = `select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')`

/** Aborting `stop` ends the session, even in the middle of a statement. */
export async function openSession(ownerUrl: string, stop?: AbortSignal): Promise<pg.Client> {
  stop?.throwIfAborted()
  // The name shows operators, in the list of sessions and in our messages, that the session migrates.
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

/** A server that builds an index does not notice that its client is gone, so another session must end the build. */
async function endBackend(ownerUrl: string, pid: number | undefined): Promise<void> {
  const session = await openSession(ownerUrl)
  try {
    await session.query('select pg_terminate_backend($1)', [pid])
  } finally {
    await session.end()
  }
}

/** `text` is for the operator. Both are empty if no session was found. */
type BlockerRow = { pids: string; text: string }

async function findSessions(client: pg.Client, which: string, values: unknown[]): Promise<BlockerRow> {
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

/** `state` and `since` of another login are null, except for members of pg_read_all_stats. */
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

const pollEveryMs = 250

/** `who` describes the sessions for which the migration waits. */
type Tell = (who: string) => void

/**
 * Begins a transaction with the lock that allows one migrating process at a time. It polls: a session that queues for a
 * lock may hold a catalog snapshot, for which a concurrent index build of the other process would wait, and both would
 * wait forever. No request of the service needs this lock, so the wait has no limit.
 */
export async function takeTurn(session: pg.Client, tell: Tell): Promise<void> {
  const tellOnce = onChange(tell)
  for (;;) {
    // States the isolation level, because the server's default may be stricter: such a transaction keeps its snapshot,
    // for which a concurrent index build would wait.
    await session.query('begin isolation level read committed')
    try {
      await session.query('lock table migration in share row exclusive mode nowait')
      return
    } catch (error) {
      await session.query('rollback').catch(() => undefined)
      if (!gotNoLock(error)) throw error
    }
    tellOnce(await findSessions(session, holders, []))
    await delay(pollEveryMs)
  }
}

const holders = `select pid from pg_locks where locktype = 'relation' and relation = to_regclass('migration') and granted
  and database = (select oid from pg_database where datname = current_database())
  and mode not in ('AccessShareLock', 'RowShareLock')`

/**
 * Waits for concurrent builds on the table, which the server continues after their client is gone. It polls for the
 * same reason as `takeTurn`.
 */
export async function waitForBuilds(session: pg.Client, table: string, tell: Tell): Promise<void> {
  const tellOnce = onChange(tell)
  for (;;) {
    const found = await findSessions(session, builders, [table])
    if (found.pids === '') return
    tellOnce(found)
    await delay(pollEveryMs)
  }
}

const builders = `select pid from pg_stat_progress_create_index where datname = current_database() and relid = to_regclass($1)`

/** Reports the sessions that block `session` during `work`, from a separate connection. */
export async function watchBlockers<T>(
  ownerUrl: string,
  session: pg.Client,
  tell: Tell,
  work: () => Promise<T>,
): Promise<T> {
  const answer = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
  const over = new AbortController()
  // A failed report must not fail the work.
  const watch = tellBlockers(ownerUrl, answer.rows[0]?.pid, tell, over.signal).catch(() => undefined)
  try {
    return await work()
  } finally {
    over.abort()
    await watch
  }
}

async function tellBlockers(ownerUrl: string, pid: number | undefined, tell: Tell, over: AbortSignal): Promise<void> {
  const tellOnce = onChange(tell)
  let watcher: pg.Client | undefined
  try {
    while (!over.aborted) {
      await delay(pollEveryMs, undefined, { signal: over })
      watcher ??= await openSession(ownerUrl)
      tellOnce(await findSessions(watcher, 'select unnest(pg_blocking_pids($1)) as pid', [pid]))
    }
  } finally {
    await watcher?.end()
  }
}

/** Reports only changes, so that a wait of an hour is one line. */
function onChange(tell: Tell): (found: BlockerRow) => void {
  let told = ''
  return ({ pids, text }) => {
    if (pids !== '' && pids !== told) tell(text)
    told = pids
  }
}

function gotNoLock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}
