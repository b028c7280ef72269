// How many connections to PostgreSQL one process holds at most, and for what. PostgreSQL allows 100 unless told otherwise:
// four processes fit, whatever the number of lanes, and leave some for whoever looks after the database.

import { present } from './assert.ts'
import { OperatorError } from './error.ts'
import type { Log } from './log.ts'
import { statement, type Queryable } from './statement.ts'

export const connectionBudget = {
  /** Lists, look-ups beside the loaders, claims of the loops, rare writes. */
  pool: 9,
  /** What the pages of the dashboard read, so that no page and no export takes a connection from payments. */
  pages: 4,
  /** All loaders together: a look-up by key is short, and one connection answers tens of thousands a second. */
  readers: 1,
  /** All lanes together: a lane keeps to one of them, and shares it with others when there are more lanes. */
  lanes: 6,
  /** The same for the lanes in which attempts at deliveries are recorded. */
  records: 4,
} as const

export const connectionsPerProcessMax = Object.values(connectionBudget).reduce((sum, count) => sum + count, 0)

/** How many connections PostgreSQL allows to logins without special rights, and how many others hold of them now. */
export type Connections = { allowed: number; held: number }

// What is counted is everybody's, also what this login may not look at. The session that asks is ours.
const countConnections = statement(
  'base.connections',
  `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
          (select sum(numbackends)::int from pg_stat_database) - 1 as held`,
)

export async function readConnections(db: Queryable): Promise<Connections> {
  const [row] = await db.query<Connections>(countConnections)
  return present(row, 'PostgreSQL tells its connections')
}

export type Verdict = { state: 'ok' | 'warning' | 'failed'; message: string }

export function judgeConnections({ allowed, held }: Connections): Verdict {
  const each = `a process holds at most ${connectionsPerProcessMax} connections and PostgreSQL allows ${allowed}`
  if (allowed < connectionsPerProcessMax) {
    const enough = connectionsPerProcessMax - allowed
    return { state: 'failed', message: `${each}: raise max_connections by ${enough} or more, and restart PostgreSQL` }
  }
  const left = Math.max(0, allowed - held)
  const now = `${each}, of which others hold ${held} now`
  if (left < connectionsPerProcessMax) {
    const message = `${now}, so ${left} are left and requests will be answered 503 under load: raise max_connections, or end what needs none`
    return { state: 'warning', message }
  }
  const more = Math.floor(left / connectionsPerProcessMax)
  return { state: 'ok', message: `${now}, so ${more} more ${more === 1 ? 'process fits' : 'processes fit'}` }
}

/**
 * Before a process serves. What others hold now is only told: they may be about to leave, as the process that this one
 * takes the place of, and a service that refuses to start is worse than one that is short of connections.
 */
export async function requireConnections({ db, log }: { db: Queryable; log: Log }): Promise<void> {
  const connections = await readConnections(db)
  const { state, message } = judgeConnections(connections)
  if (state === 'failed') throw new OperatorError(`${message[0]?.toUpperCase()}${message.slice(1)}.`)
  if (state === 'warning') log.warn(connections, message)
}
