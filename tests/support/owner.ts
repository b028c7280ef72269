// Actions that only the owner of a database may do: tamper with rows, read any table, create a table for one test.

import pg from 'pg'

/**
 * Opening a connection costs some eighty times as much as a query, and tests query often while they wait. So the
 * sessions of the last database are kept for the next query. They end before their database does, or with this process.
 */
let last: { url: string; sessions: pg.Pool } | undefined

export async function asOwner<R = Record<string, unknown>>(
  database: { ownerUrl: string },
  sql: string,
  values: unknown[] = [],
): Promise<R[]> {
  const owner = await sessionsOn(database.ownerUrl).connect()
  let isAsNew = false
  try {
    // Several statements at once return a list of results, whose rows no test needs.
    const { rows } = await owner.query<Record<string, unknown>>(sql, values.length === 0 ? undefined : values)
    isAsNew = owner.getTransactionStatus() === 'I'
    return rows as R[]
  } finally {
    owner.release(!isAsNew)
  }
}

/**
 * Takes as long as a connection and a query do on this machine at the moment. A test that advances its clock step by
 * step waits this long between steps, so that every process can connect and act.
 */
export async function comeAndAsk({ ownerUrl }: { ownerUrl: string }): Promise<void> {
  const visitor = new pg.Client({ connectionString: ownerUrl })
  await visitor.connect()
  await visitor.query('select status from payment')
  await visitor.end()
}

/** Called before a database is dropped, because a drop without force needs all sessions gone. */
export function leave(): void {
  void last?.sessions.end()
  last = undefined
}

function sessionsOn(url: string): pg.Pool {
  if (last?.url === url) return last.sessions
  leave()
  const sessions = new pg.Pool({ connectionString: url, max: 100, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // The session is unused, so its end costs nothing.
  sessions.on('error', () => undefined)
  last = { url, sessions }
  return sessions
}

/** Assigns a column its own time, moved. Citus refuses `COLUMN + interval` in an update, because it depends on the time zone. */
export const moved = (column: string, interval: string): string =>
  `${column} = (${column} at time zone 'UTC' + interval '${interval}') at time zone 'UTC'`
