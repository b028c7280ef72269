// Actions that only the owner of a database may do: tamper with rows, read any table, create a table for one test.

import pg from 'pg'

/**
 * To connect costs some eighty times what a query does, and tests ask many times while they wait. So the sessions on the
 * database that was asked last are kept for the next who asks it. They end before their database does, or with this process.
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
    // Several statements at once give a list of results, whose rows no test needs.
    const { rows } = await owner.query<Record<string, unknown>>(sql, values.length === 0 ? undefined : values)
    isAsNew = owner.getTransactionStatus() === 'I'
    return rows as R[]
  } finally {
    owner.release(!isAsNew)
  }
}

/**
 * Takes as long as a new session and a question do on this machine, as busy as it is. Where the time of the clocks is made
 * to pass step by step, that much between the steps lets everybody connect, and act.
 */
export async function comeAndAsk({ ownerUrl }: { ownerUrl: string }): Promise<void> {
  const visitor = new pg.Client({ connectionString: ownerUrl })
  await visitor.connect()
  await visitor.query('select status from payment')
  await visitor.end()
}

/** Called before a database is dropped: without force, no session may be connected. */
export function leave(): void {
  void last?.sessions.end()
  last = undefined
}

function sessionsOn(url: string): pg.Pool {
  if (last?.url === url) return last.sessions
  leave()
  const sessions = new pg.Pool({ connectionString: url, max: 100, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // An unused session that ends is no loss.
  sessions.on('error', () => undefined)
  last = { url, sessions }
  return sessions
}
