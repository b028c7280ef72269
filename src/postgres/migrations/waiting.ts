// How a migration waits for other sessions, and reports them to the operator.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findSessions, openSession, type BlockerRow } from './session.ts'

const lookEveryMs = 250

/** Called with a description of the sessions that it waits for. */
type Tell = (who: string) => void

/**
 * Begins a transaction with the lock that allows one migrating process at a time. It polls instead of queueing: a
 * session that queues for a lock may hold a catalog snapshot, for which a concurrent index build of the other process
 * waits, and then neither would ever end. No request of the service needs this lock, so the wait has no limit.
 */
export async function takeTurn(session: pg.Client, tell: Tell): Promise<void> {
  const tellOnce = onChange(tell)
  for (;;) {
    // Set explicitly, because with another default a lasting snapshot would block concurrent builds too.
    await session.query('begin isolation level read committed')
    try {
      await session.query('lock table migration in share row exclusive mode nowait')
      return
    } catch (error) {
      await session.query('rollback').catch(() => undefined)
      if (!gotNoLock(error)) throw error
    }
    tellOnce(await findSessions(session, holders, []))
    await delay(lookEveryMs)
  }
}

const holders = `select pid from pg_locks where locktype = 'relation' and relation = to_regclass('migration') and granted
  and database = (select oid from pg_database where datname = current_database())
  and mode not in ('AccessShareLock', 'RowShareLock')`

/**
 * Waits for concurrent builds on the table: the server goes on building after its client is gone. It polls for the
 * same reason.
 */
export async function outwaitBuilders(session: pg.Client, table: string, tell: Tell): Promise<void> {
  const tellOnce = onChange(tell)
  for (;;) {
    const found = await findSessions(session, builders, [table])
    if (found.pids === '') return
    tellOnce(found)
    await delay(lookEveryMs)
  }
}

const builders = `select pid from pg_stat_progress_create_index where datname = current_database() and relid = to_regclass($1)`

/** Reports the sessions that block `session` while it works, from a separate connection and outside a transaction. */
export async function watchBlockers<T>(
  ownerUrl: string,
  session: pg.Client,
  tell: Tell,
  work: () => Promise<T>,
): Promise<T> {
  const answer = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
  const over = new AbortController()
  // An error in the reporting must not fail the work.
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
      await delay(lookEveryMs, undefined, { signal: over })
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
