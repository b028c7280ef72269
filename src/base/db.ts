// PostgreSQL, as the rooms see it: statements that have a name, transactions that are a type with guards, and
// connections that pipeline (several statements leave in one write, their answers come back in order).
//
// Two kinds of connection. The pool serves lists, look-ups and rare writes. A dedicated connection belongs to one
// lane, loader or loop: nobody else queues behind it, and it opens itself again after it was lost.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { Unavailable } from './error.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** A named statement is parsed once per connection. The name is what a log or a profile shows. */
export type Statement = { name: string; text: string }

export function statement(name: string, text: string): Statement {
  return { name, text }
}

export type Row = Record<string, unknown>

export type Queryable = {
  query<R extends object = Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

/** One dedicated, pipelined, self-healing connection. Its transactions run one after the other. */
export type Connection = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Db = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  connection(name: string): Connection
  close(): Promise<void>
}

export type DbOptions = {
  url: string
  /** The role that every session takes; the login must be it or a member of it. Absent: the login itself. */
  role?: string
  log: Log
  metrics: Metrics
  poolSizeMax?: number
}

const connectTimeoutMs = 5_000
const statementTimeoutMs = 30_000
const idleInTransactionTimeoutMs = 30_000
const reconnectPauseMs = 100
const conflictRetriesMax = 5

export function createDb(options: DbOptions): Db {
  const settings = clientSettings(options)
  const pool = new pg.Pool({ ...settings, max: options.poolSizeMax ?? 10, idleTimeoutMillis: 30_000 })
  pool.on('error', (error) => options.log.warn({ error: error.message }, 'an idle database connection was lost'))
  const connections: Connection[] = []
  const checkOut = (): Promise<pg.PoolClient> => pool.connect().catch((error: unknown) => Promise.reject(toFault(error)))

  return {
    async query<R extends object>(what: Statement, values: readonly unknown[] = []) {
      const client = await checkOut()
      try {
        return await run<R>(client, what, values)
      } finally {
        client.release()
      }
    },
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        const client = await checkOut()
        try {
          const value = await runTransaction(client, work)
          client.release()
          return value
        } catch (error) {
          // A connection that may still be in a transaction must not go back to the pool.
          client.release(!isRefusal(error))
          if (!isConflict(error) || attempt >= conflictRetriesMax) throw error
        }
      }
    },
    connection(name) {
      const connection = createConnection(name, settings, options)
      connections.push(connection)
      return connection
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()))
      await pool.end()
    },
  }
}

/**
 * The two phases of a transaction: reads are awaited with `query`; writes are `send`-ed without waiting, and COMMIT
 * leaves right behind them, so that a batch costs two round trips. A failed write turns the COMMIT into a ROLLBACK,
 * which is noticed. Using a transaction after its end is a bug and throws.
 */
export class Tx implements Queryable {
  #client: pg.ClientBase
  #open = true
  #sent: Promise<unknown>[] = []
  #beforeCommit: (() => void)[] = []
  #afterCommit: (() => void)[] = []
  #shared = new Map<symbol, unknown>()

  constructor(client: pg.ClientBase) {
    this.#client = client
  }

  query<R extends object = Row>(what: Statement, values: readonly unknown[] = []): Promise<R[]> {
    this.#assertOpen()
    return run<R>(this.#client, what, values)
  }

  /** A write whose answer nobody needs before the commit. */
  send(what: Statement, values: readonly unknown[] = []): void {
    this.#assertOpen()
    const answer = run(this.#client, what, values)
    answer.catch(() => undefined) // Its failure is reported by the commit.
    this.#sent.push(answer)
  }

  /** Runs when the work is done and before COMMIT leaves: the place to write what was gathered. */
  beforeCommit(hook: () => void): void {
    this.#assertOpen()
    this.#beforeCommit.push(hook)
  }

  /** Runs only if the commit is known to have happened. */
  afterCommit(hook: () => void): void {
    this.#assertOpen()
    this.#afterCommit.push(hook)
  }

  /** What several pieces of work gather in this one transaction, made at first use. */
  shared<T>(key: symbol, make: () => T): T {
    if (!this.#shared.has(key)) this.#shared.set(key, make())
    return this.#shared.get(key) as T
  }

  /** For `runTransaction` only. */
  finish(): { sent: Promise<unknown>[]; afterCommit: (() => void)[] } {
    for (const hook of this.#beforeCommit) hook()
    this.#open = false
    return { sent: this.#sent, afterCommit: this.#afterCommit }
  }

  abandon(): void {
    this.#open = false
  }

  #assertOpen(): void {
    if (!this.#open) throw new Error('assertion failed: a transaction was used after its end')
  }
}

async function runTransaction<T>(client: pg.ClientBase, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = new Tx(client)
  // BEGIN is not awaited: it leaves together with the first statements of the work.
  const begun = client.query('begin')
  begun.catch(() => undefined)
  let value: T
  let end: ReturnType<Tx['finish']>
  try {
    value = await work(tx)
    end = tx.finish()
  } catch (error) {
    tx.abandon()
    await client.query('rollback').catch(() => undefined)
    throw error
  }
  const committed = client.query('commit').catch((error: unknown) => Promise.reject(toFault(error)))
  const [commit, ...writes] = await Promise.allSettled([committed, ...end.sent])
  const failed = writes.find((write) => write.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (commit.status === 'rejected') throw commit.reason
  if (commit.value.command !== 'COMMIT') throw new Error('assertion failed: the transaction was rolled back')
  for (const hook of end.afterCommit) hook()
  return value
}

function createConnection(name: string, settings: pg.ClientConfig, options: DbOptions): Connection {
  let current: { client: pg.Client; ready: Promise<pg.Client> } | undefined
  let closed = false
  let openedBefore = false
  let tail: Promise<unknown> = Promise.resolve()

  function open(): Promise<pg.Client> {
    const client = new pg.Client({ ...settings, application_name: `manilla ${name}` })
    const forget = (): void => {
      if (current?.client === client) current = undefined
    }
    client.on('end', forget)
    client.on('error', (error) => {
      options.log.warn({ connection: name, error: error.message }, 'a database connection was lost')
      forget()
    })
    const connect = async (): Promise<pg.Client> => {
      if (openedBefore) {
        options.metrics.databaseReconnects.inc({ connection: name })
        await delay(reconnectPauseMs) // A server that restarts is not helped by a storm.
      }
      openedBefore = true
      await client.connect()
      return client
    }
    const ready = connect()
    ready.catch(forget)
    current = { client, ready }
    return ready
  }

  const ready = (): Promise<pg.Client> => {
    if (closed) return Promise.reject(new Unavailable('The service is shutting down.'))
    return (current?.ready ?? open()).catch((error: unknown) => Promise.reject(toFault(error)))
  }

  return {
    async query<R extends object>(what: Statement, values: readonly unknown[] = []) {
      return run<R>(await ready(), what, values)
    },
    transaction(work) {
      const mine = tail.then(async () => runTransaction(await ready(), work))
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

async function run<R extends object>(client: pg.ClientBase, what: Statement, values: readonly unknown[]): Promise<R[]> {
  try {
    const answer = await client.query<R>({ name: what.name, text: what.text, values: values as unknown[] })
    return answer.rows
  } catch (error) {
    throw toFault(error)
  }
}

// Classes of SQLSTATE that say "not now" rather than "not this": lost connections (08), too few resources (53),
// a server that stops, starts or cancels (57), a lock that did not come (55P03), a read-only standby (25006).
const unavailableStates = /^(08|53|57|55P03|25006)/

/** What the driver threw, as what the rest of the house understands. A refusal of the statement stays as it is. */
function toFault(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  const state = error instanceof pg.DatabaseError ? (error.code ?? '') : '08000'
  if (!unavailableStates.test(state)) return error
  return new Unavailable('The database cannot be reached right now.', { cause: error })
}

/** PostgreSQL looked at the statement and refused it; the connection is fine. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError
}

/** A deadlock or a serialization failure: nothing happened, and the same work may succeed at once. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

function clientSettings(options: DbOptions): pg.ClientConfig {
  // A statement prepared while its table was empty must not keep the plan of that day (see ARCHITECTURE.md, traps).
  const session = [
    'plan_cache_mode=force_custom_plan',
    'TimeZone=UTC',
    'DateStyle=ISO',
    `statement_timeout=${statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${idleInTransactionTimeoutMs}`,
    ...(options.role === undefined ? [] : [`role=${options.role}`]),
  ]
  return {
    connectionString: options.url,
    options: session.map((setting) => `-c ${setting}`).join(' '),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
  } as pg.ClientConfig
}

// A bigint is money or a count: it must not pass through a double. Times are UTC ISO text, which Date reads.
const bigintOid = 20
const timestamptzOid = 1184
const getTypeParser = ((oid: number, format?: 'text' | 'binary') => {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return (text: string) => new Date(`${text.replace(' ', 'T').slice(0, -3)}Z`)
  return pg.types.getTypeParser(oid, format)
}) as typeof pg.types.getTypeParser
