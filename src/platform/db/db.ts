// Access to PostgreSQL: named statements, transactions, and connections that pipeline (statements are sent without
// waiting for each other, and their results come back in order).
//
// There are two kinds of connections. Those of a pool serve any caller: one pool serves filtered lists, look-ups and
// rare writes, another one the pages of the dashboard. A dedicated connection serves some lanes (lane.ts), all loaders
// (loader.ts) or all lists without filters. It reconnects after it was lost.
//
// `connectionBudget` is the maximum number of connections of one process. PostgreSQL allows 100 by default: four
// processes fit, whatever the number of lanes, and one connection is left besides those reserved for administrators.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { present } from '#platform/assert.ts'
import { OperatorError, Unavailable } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { translateIfDistributed } from './distributed.ts'
import {
  beginSession,
  clientSettings,
  keyedPlanning,
  listPlanning,
  type SessionOptions,
  connectTimeoutMs,
  createSessions,
  requirePrimary,
  type Sessions,
} from './sessions.ts'
import { isAboutWorker, isConflict } from './postgres-errors.ts'
import { statement, type Queryable, run, type Statement } from './statement.ts'
import { runTransaction, type Tx } from './transaction.ts'

export { isConflict } from './postgres-errors.ts'
export { isTooLong } from './postgres-errors.ts'
export { isUniqueViolation } from './postgres-errors.ts'
export { inLane } from './statement.ts'
export { statement } from './statement.ts'
export type { InLane } from './statement.ts'
export type { Queryable } from './statement.ts'
export type { Statement } from './statement.ts'
export { Tx } from './transaction.ts'
export { arrayOf } from './values.ts'
export { arraysOf } from './values.ts'
export type { ColumnValues } from './values.ts'

export const connectionBudget = {
  pool: 8,
  /** Pages of lists without filters. This connection keeps their plans; those of the pool plan each query again. */
  lists: 1,
  /** Reads of dashboard pages, so that no page and no export takes a connection from payments. */
  pages: 4,
  /** Shared by all loaders. One connection serves tens of thousands of look-ups by key a second. */
  readers: 1,
  lanes: 6,
  records: 4,
} as const

export const connectionsPerProcessMax = Object.values(connectionBudget).reduce((sum, count) => sum + count, 0)

/**
 * `allowed`: the most connections that all logins without special rights may have together. `held`: the connections of
 * all other sessions.
 */
type ConnectionCount = { allowed: number; held: number }

// `numbackends` counts the sessions of all users, also those that this login may not see. The 1 is our own session.
const countConnections = statement(
  'base.connections',
  `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed,
          (select sum(numbackends)::int from pg_stat_database) - 1 as held`,
)

export async function readConnections(db: Queryable): Promise<ConnectionCount> {
  const [row] = await db.query<ConnectionCount>(countConnections)
  return present(row, 'PostgreSQL tells its connections')
}

type SettingVerdict = { state: 'ok' | 'warning' | 'failed'; message: string }

export function judgeConnections({ allowed, held }: ConnectionCount): SettingVerdict {
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
 * Runs before a process serves. If other sessions hold too many connections, it only warns: they may be about to close,
 * like those of a process that is being replaced, and a service that is short of connections is better than none.
 */
export async function requireConnections({ db, log }: { db: Queryable; log: Log }): Promise<void> {
  const connections = await readConnections(db)
  const { state, message } = judgeConnections(connections)
  if (state === 'failed') throw new OperatorError(`${message[0]?.toUpperCase()}${message.slice(1)}.`)
  if (state === 'warning') log.warn(connections, message)
}

/**
 * A dedicated connection, which reconnects by itself. It serves calls in the order of their arrival: its transactions
 * run one after the other, and no query runs inside the transaction of another caller.
 */
export type DatabaseConnection = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>, lane?: number): Promise<T>
  close(): Promise<void>
}

export type Db = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>, lane?: number): Promise<T>
  /** Reads the database as of one moment, while others write. `statementMsMax` limits each statement. */
  snapshot<T>(work: (tx: Tx) => Promise<T>, statementMsMax?: number): Promise<T>
  /** The reads of `work` outside transactions use a small separate pool with a short statement timeout. */
  aside<T>(work: () => T): T
  connection(name: string): DatabaseConnection
  readers: Queryable
  /**
   * For pages whose rows are found by their numbers alone, without filters. Within `aside`, these reads use its pool.
   */
  lists: Queryable
  close(): Promise<void>
}

export type DbOptions = SessionOptions & {
  url: string
  log: Log
  metrics: Metrics
  poolSizeMax?: number
  silenceMs?: number
}

/** Between two statements of a transaction, a CLI command may write a file or compare the rows that it has read. */
const idleOnPoolMsMax = 30_000
/**
 * A batch locks the rows of its tenants. A lane of another process that needs one of these rows waits, and so do all
 * callers of that lane. So a process that stalls this long within a batch, for example on an overloaded machine, loses
 * its session.
 */
const idleOnConnectionMsMax = 5_000
const reconnectPauseMs = 100
const pageStatementMsMax = 5_000
const conflictRetriesMax = 5

const setSnapshot = statement('base.snapshot', 'set transaction isolation level repeatable read, read only')
/** A snapshot reads whole tables, for which a sort is a good plan. */
const allowSorts = statement(
  'base.allow_sorts',
  `select set_config(name, 'on', true) from unnest(array['enable_sort', 'enable_incremental_sort']) as name`,
)
const limitStatements = statement('base.limit_statements', `select set_config('statement_timeout', $1, true)`)

function asOfOneMoment<T>(work: (tx: Tx) => Promise<T>, statementMsMax: number | undefined): typeof work {
  return (tx) => {
    tx.send(setSnapshot)
    tx.send(allowSorts)
    if (statementMsMax !== undefined) tx.send(limitStatements, [String(statementMsMax)])
    return work(tx)
  }
}

export function createDb(options: DbOptions): Db {
  const sessions = createSessions(options.url, options.silenceMs)
  const pool = openPool(options, sessions)
  // Async context marks the reads of a dashboard page, so that the modules in between need not pass on the mark.
  const ofPages = { ...options, poolSizeMax: connectionBudget.pages, statementTimeoutMs: pageStatementMsMax }
  const pages = openPool(ofPages, sessions)
  const askedAside = new AsyncLocalStorage<true>()
  const connections: DatabaseConnection[] = []
  let closed: Promise<void> | undefined

  const onClient = <T>(work: (client: pg.PoolClient) => Promise<T>, from = pool): Promise<T> =>
    withClient(from, sessions, work)

  function open(name: string): DatabaseConnection {
    const connection = createConnection(name, sessions, options)
    connections.push(connection)
    return connection
  }

  const lists = open('lists')
  const query: Queryable['query'] = (what, values = []) =>
    onClient((client) => run(client, what, values), askedAside.getStore() === true ? pages : pool)

  async function close(): Promise<void> {
    await Promise.all(connections.map((connection) => connection.close()))
    await Promise.all([pool.end(), pages.end()])
  }

  return {
    query,
    aside: (work) => askedAside.run(true, work),
    async transaction(work, lane) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await onClient((client) => runTransaction(client, options.log, work, { lane }))
        } catch (error) {
          if (!isConflict(error) || attempt >= conflictRetriesMax) throw error
        }
      }
    },
    snapshot(work, statementMsMax) {
      return onClient((client) => runTransaction(client, options.log, asOfOneMoment(work, statementMsMax)))
    },
    connection: open,
    readers: open('readers'),
    lists: {
      query: (what, values) => (askedAside.getStore() === true ? query(what, values) : lists.query(what, values)),
    },
    close: () => (closed ??= close()),
  }
}

async function withClient<T>(
  pool: pg.Pool,
  sessions: Sessions,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connectFrom(pool, sessions)
  let lost = false
  try {
    return await work(client)
  } catch (error) {
    // While a worker of Citus is away, each new session would cost the coordinator more than the statement.
    lost = error instanceof Unavailable && !isAboutWorker(error)
    throw error
  } finally {
    // A connection that may still be in a transaction must not go back to the pool.
    client.release(lost || client.getTransactionStatus() !== 'I')
  }
}

async function connectFrom(pool: pg.Pool, sessions: Sessions): Promise<pg.PoolClient> {
  try {
    // An open connection is used even if the primary is unknown.
    if (pool.idleCount === 0 && pool.totalCount < pool.options.max) await sessions.findPrimary()
    return await pool.connect()
  } catch (error) {
    sessions.failed(error)
    throw cannotReach(error)
  }
}

function openPool(options: DbOptions, sessions: Sessions): pg.Pool {
  const { poolSizeMax = connectionBudget.pool, log } = options
  // The pool hands out a connection after `onConnect` has finished, although its types do not say so. Its option
  // `verify` would lose the connection for good if the caller gave up meanwhile.
  const onConnect = (client: pg.ClientBase): unknown => beginPooled(client, options)
  const pool = new pg.Pool({
    ...clientSettings(options),
    Client: sessions.Client,
    onConnect,
    connectionTimeoutMillis: connectTimeoutMs,
    max: poolSizeMax,
    idleTimeoutMillis: 30_000,
  })
  // An `error` event without a listener would end the process. Errors also come while the pool ends, because `end` does
  // not wait until PostgreSQL has closed the connections.
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      if (!pool.ending) noteLoss(log, 'pool', error)
    }),
  )
  pool.on('error', () => undefined)
  return pool
}

async function beginPooled(client: pg.ClientBase, options: DbOptions): Promise<void> {
  requirePrimary(client)
  await beginSession(client, { ...options, planning: listPlanning, idleInTransactionMsMax: idleOnPoolMsMax })
  await translateIfDistributed(client)
}

function createConnection(name: string, sessions: Sessions, options: DbOptions): DatabaseConnection {
  let current: { ready: Promise<pg.Client> } | undefined
  let closed = false
  let openedBefore = false
  let tail: Promise<unknown> = Promise.resolve()
  options.metrics.databaseReconnects.inc({ connection: name }, 0)

  function open(): Promise<pg.Client> {
    const forget = (): void => {
      if (current === mine) current = undefined
    }
    const connect = async (): Promise<pg.Client> => {
      if (openedBefore) {
        options.metrics.databaseReconnects.inc({ connection: name })
        await delay(reconnectPauseMs) // Avoids a storm of connections while the server restarts.
      }
      openedBefore = true
      return openNamed(name, sessions, options, forget)
    }
    const mine = { ready: connect() }
    current = mine
    mine.ready.catch((error: unknown) => {
      forget()
      sessions.failed(error)
    })
    return mine.ready
  }

  const ready = (): Promise<pg.Client> => {
    if (closed) return Promise.reject(new Unavailable('The service is shutting down.'))
    return (current?.ready ?? open()).catch((error: unknown) => Promise.reject(cannotReach(error)))
  }

  return {
    async query<R extends object>(what: Statement, values: readonly unknown[] = []) {
      // The next call waits until this one is sent, not until it is answered.
      const sent = tail.then(async () => ({ answer: run<R>(await ready(), what, values) }))
      tail = sent.catch(() => undefined)
      return (await sent).answer
    },
    transaction(work, lane) {
      const mine = tail.then(async () => runTransaction(await ready(), options.log, work, { lane }))
      tail = mine.catch(() => undefined)
      return mine
    },
    async close() {
      closed = true
      await tail
      const client = await current?.ready.catch(() => undefined)
      await client?.end().catch(() => undefined)
    },
  }
}

async function openNamed(name: string, sessions: Sessions, options: DbOptions, onLost: () => void): Promise<pg.Client> {
  await sessions.findPrimary()
  const client = new sessions.Client({ ...clientSettings(options), application_name: `manilla ${name}` })
  client.on('end', onLost)
  client.on('error', (error) => {
    noteLoss(options.log, name, error)
    onLost()
    void client.end() // Otherwise the server would keep a connection that we gave up.
  })
  await client.connect()
  requirePrimary(client)
  const beginning = { ...options, planning: keyedPlanning, idleInTransactionMsMax: idleOnConnectionMsMax }
  try {
    await beginSession(client, beginning)
    // With Citus, each execution must be planned, because a cached plan does not know the lane.
    if (await translateIfDistributed(client)) await client.query('set plan_cache_mode = auto')
  } catch (error) {
    void client.end()
    throw error
  }
  return client
}

function noteLoss(log: Log, connection: string, error: Error): void {
  log.warn({ connection, error: error.message }, 'lost a database connection')
}

/** No statement ran, but callers treat this error like any `Unavailable`: as if the outcome were unknown. */
function cannotReach(cause: unknown): Unavailable {
  return new Unavailable('The database cannot be reached right now.', { cause })
}
