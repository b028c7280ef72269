// PostgreSQL, as the rooms see it: statements that have a name, transactions that are a type with guards, and
// connections that pipeline (statements leave without waiting for each other, their answers come back in order).
//
// Two kinds of connection. The pool serves lists, look-ups and rare writes. A dedicated connection belongs to some lanes
// or to all loaders: nothing else queues behind it, and it opens itself again after it was lost. How many there may be is
// stated in connections.ts.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connectionBudget } from './connections.ts'
import { learnDialect } from './distributed.ts'
import { Unavailable } from './error.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { isConflict, run, type Queryable, type Statement } from './statement.ts'
import { runTransaction, type Tx } from './transaction.ts'

export {
  arrayOf,
  arraysOf,
  inLane,
  isConflict,
  isTooLong,
  statement,
  type InLane,
  type Queryable,
  type Statement,
} from './statement.ts'
export { Tx } from './transaction.ts'

/**
 * One dedicated, pipelined, self-healing connection. Its transactions run one after the other, and a query never falls
 * into the transaction of somebody else: what is asked of a connection is served in the order of asking.
 */
export type Connection = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>, lane?: number): Promise<T>
  close(): Promise<void>
}

export type Db = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>, lane?: number): Promise<T>
  /** Reads the whole database as it is at one moment, while others go on writing. No statement takes longer than that. */
  snapshot<T>(work: (tx: Tx) => Promise<T>, statementMsMax?: number): Promise<T>
  /** What is read meanwhile without a transaction comes from a small pool of its own, in which no statement takes long. */
  aside<T>(work: () => T): T
  connection(name: string): Connection
  /** The one connection of all loaders: look-ups by key, which are short, one behind the other. */
  readers: Queryable
  close(): Promise<void>
}

export type DbOptions = {
  url: string
  /** The role that every session takes; the login must be it or a member of it. Absent: the login itself. */
  role?: string
  log: Log
  metrics: Metrics
  poolSizeMax?: number
  statementTimeoutMs?: number
}

const connectTimeoutMs = 5_000
/** A transaction of the pool may wait for a file to be written, or for a page of a proof to be judged. */
const idleOnPoolMsMax = 30_000
/**
 * A batch holds its tenants' locks, and another process's lane waits for them with all its callers. A process that stalls
 * for so long in the middle of one (a full machine, a debugger, a swapped-out container) loses it.
 */
const idleOnConnectionMsMax = 5_000
const reconnectPauseMs = 100
const pageStatementMsMax = 5_000
const conflictRetriesMax = 5

export function createDb(options: DbOptions): Db {
  const settings = clientSettings(options, keyedPlanning, idleOnConnectionMsMax)
  const pool = openPool(options)
  // A read says nothing of who asks, and passes through rooms that need not know: so it is told beside the call.
  const pages = openPool({ ...options, poolSizeMax: connectionBudget.pages, statementTimeoutMs: pageStatementMsMax })
  const askedAside = new AsyncLocalStorage<true>()
  const connections: Connection[] = []
  let closed: Promise<void> | undefined

  async function onClient<T>(work: (client: pg.PoolClient) => Promise<T>, from = pool): Promise<T> {
    const client = await from.connect().catch((error: unknown) => Promise.reject(cannotReach(error)))
    let lost = false
    try {
      return await work(client)
    } catch (error) {
      lost = error instanceof Unavailable
      throw error
    } finally {
      // A connection that may still be in a transaction must not go back to the pool.
      client.release(lost || client.getTransactionStatus() !== 'I')
    }
  }

  function open(name: string): Connection {
    const connection = createConnection(name, settings, options)
    connections.push(connection)
    return connection
  }

  async function close(): Promise<void> {
    await Promise.all(connections.map((connection) => connection.close()))
    await Promise.all([pool.end(), pages.end()])
  }

  return {
    query<R extends object>(what: Statement, values: readonly unknown[] = []) {
      return onClient((client) => run<R>(client, what, values), askedAside.getStore() === true ? pages : pool)
    },
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
      const limit = statementMsMax === undefined ? '' : `; set local statement_timeout = ${statementMsMax}`
      const begin = `begin isolation level repeatable read read only; ${wholePlanning}${limit}`
      return onClient((client) => runTransaction(client, options.log, work, { begin }))
    },
    connection: open,
    readers: open('readers'),
    close: () => (closed ??= close()),
  }
}

function openPool(options: DbOptions): pg.Pool {
  const { poolSizeMax = connectionBudget.pool, log } = options
  const pool = new pg.Pool({
    ...clientSettings(options, listPlanning, idleOnPoolMsMax),
    max: poolSizeMax,
    idleTimeoutMillis: 30_000,
    verify(client, done) {
      learnDialect(client)
        .then(() => done())
        .catch(done)
    },
  })
  // An error that nobody listens to would end the process, so each connection is listened to as long as it lives, which is
  // longer than the pool: `end` does not wait until PostgreSQL has let them go.
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      if (!pool.ending) noteLoss(log, 'pool', error)
    }),
  )
  pool.on('error', () => undefined)
  return pool
}

function createConnection(name: string, settings: pg.ClientConfig, options: DbOptions): Connection {
  let current: { client: pg.Client; ready: Promise<pg.Client> } | undefined
  let closed = false
  let openedBefore = false
  let tail: Promise<unknown> = Promise.resolve()
  options.metrics.databaseReconnects.inc({ connection: name }, 0)

  function open(): Promise<pg.Client> {
    const client = new pg.Client({ ...settings, application_name: `manilla ${name}` })
    const forget = (): void => {
      if (current?.client === client) current = undefined
    }
    client.on('end', forget)
    client.on('error', (error) => {
      noteLoss(options.log, name, error)
      forget()
      void client.end() // A connection that we gave up must not stay open at the other side.
    })
    const connect = async (): Promise<pg.Client> => {
      if (openedBefore) {
        options.metrics.databaseReconnects.inc({ connection: name })
        await delay(reconnectPauseMs) // A server that restarts is not helped by a storm.
      }
      openedBefore = true
      await client.connect()
      // Citus makes a plan for each time: a kept one does not know the lane.
      if (await learnDialect(client)) await client.query('set plan_cache_mode = auto')
      return client
    }
    const ready = connect()
    ready.catch(forget)
    current = { client, ready }
    return ready
  }

  const ready = (): Promise<pg.Client> => {
    if (closed) return Promise.reject(new Unavailable('The service is shutting down.'))
    return (current?.ready ?? open()).catch((error: unknown) => Promise.reject(cannotReach(error)))
  }

  return {
    async query<R extends object>(what: Statement, values: readonly unknown[] = []) {
      // The next in line waits until this is on its way, not for the answer.
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

function noteLoss(log: Log, connection: string, error: Error): void {
  log.warn({ connection, error: error.message }, 'a database connection was lost')
}

/** Whatever the reason, it says nothing about the work: no statement was looked at. */
function cannotReach(cause: unknown): Unavailable {
  return new Unavailable('The database cannot be reached right now.', { cause })
}

/**
 * For lists and other questions whose conditions differ from one time to the next: planned anew each time, with the values.
 * Sorting is the last resort, because a list lies in order in an index of its own. A planner that took a tenant of 12 000
 * deliveries for one row read and sorted them all for a page of 20 (docs/adr/0019-plans-that-are-kept.md).
 */
const listPlanning = ['plan_cache_mode=force_custom_plan', 'enable_sort=off', 'enable_incremental_sort=off']

/** For what reads whole tables, where sorting is right. */
const wholePlanning = 'set local enable_sort = on; set local enable_incremental_sort = on'

/**
 * For what is asked on a dedicated connection: it finds its rows by key, so it has one good plan whatever the tables hold.
 * That plan is made once, without the choices that would only be good while the tables are small.
 */
const keyedPlanning = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_sort=off',
  'enable_incremental_sort=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
]

function clientSettings(options: DbOptions, planning: string[], idleInTransactionMsMax: number): pg.ClientConfig {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000
  const session = [
    ...planning,
    // Before PostgreSQL 18 a step that is switched off and taken all the same costs 10 000 000 000: worth compiling, it seems.
    'jit=off',
    'TimeZone=UTC',
    'DateStyle=ISO',
    `statement_timeout=${statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${idleInTransactionMsMax}`,
    ...(options.role === undefined ? [] : [`role=${options.role}`]),
  ]
  const { url, given } = splitOptions(options.url)
  return {
    connectionString: url,
    options: [...given, ...session.map((setting) => `-c ${setting}`)].join(' '),
    connectionTimeoutMillis: connectTimeoutMs,
    // The server gives up first; if it does not, it is not there any more, which TCP would notice after a quarter hour.
    query_timeout: statementTimeoutMs * 1.2,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  }
}

/** The driver would let `?options=` of the address replace ours. Both count, and where they disagree, ours. */
function splitOptions(address: string): { url: string; given: string[] } {
  const [base = '', query = ''] = address.split('?', 2)
  const parameters = new URLSearchParams(query)
  const given = parameters.getAll('options')
  if (given.length === 0) return { url: address, given }
  parameters.delete('options')
  return { url: `${base}?${parameters.toString()}`, given }
}

// A bigint is money or a count: it must not pass through a double. Times are UTC ISO text, which Date reads.
const bigintOid = 20
const timestamptzOid = 1184

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return (text) => new Date(`${text.replace(' ', 'T').slice(0, -3)}Z`)
  return pg.types.getTypeParser(oid, format) as (text: string) => unknown
}
