// How a migration waits, and who is told for whom.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findSessions, openSession, type Found } from './session.ts'

const lookEveryMs = 250

/** Who it waits for. */
type Tell = (who: string) => void

/**
 * Begins a transaction with the lock that one process at a time has. It asks again and again in place of queueing: who
 * queues for a lock may hold a snapshot, of the catalogue, for which an index that the other one builds concurrently
 * waits; and neither would ever end. No request of the service needs this lock, so the wait has no limit.
 */
export async function takeTurn(session: pg.Client, tell: Tell): Promise<void> {
  const tellOnce = onChange(tell)
  for (;;) {
    // Not the database's default, as a snapshot that lasts would hold up concurrent builds too.
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

/** The server goes on building when the process that asked for it is gone. Asks again and again for the same reason. */
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

/** Tells who holds up `session` while it works, from a connection of its own and in no transaction. */
export async function watching<T>(
  ownerUrl: string,
  session: pg.Client,
  tell: Tell,
  work: () => Promise<T>,
): Promise<T> {
  const answer = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
  const over = new AbortController()
  // Telling is a kindness: when it fails, the work does not.
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

/** A wait of an hour is told in one line. */
function onChange(tell: Tell): (found: Found) => void {
  let told = ''
  return ({ pids, text }) => {
    if (pids !== '' && pids !== told) tell(text)
    told = pids
  }
}

function gotNoLock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}
