// Opens sessions with PostgreSQL, always with the primary, and closes a session whose server has stopped responding.
// The pool, the lanes and the migrations open their sessions here.
//
// The first statement of a session of the service (`beginSession`) sets its planner settings, time limits and role.
// Startup parameters would not work, because poolers do not forward them. No other statement of the service is sent
// before the first one has succeeded, because it would run with the rights of the login and without time limits.
// Migrations use other settings (postgres/migrations/session.ts).

import type { Socket } from 'node:net'
import pg from 'pg'
import { finishesWithin } from '#platform/concurrency.ts'
import { minuteMs } from '#platform/durations.ts'
import { briefMessage } from '#platform/errors.ts'
import { getTypeParser } from './values.ts'

export type SessionOptions = {
  /**
   * The role that every session sets. The login must be that role, a member of it, or a superuser. If `role` is not
   * set, a session works as the login.
   */
  role?: string
  statementTimeoutMs?: number
}

/**
 * For lists and other queries whose conditions vary: they are planned each time, with their values. Sorting is disabled
 * where possible, because each list has an index in its order. When the planner expected one row for a tenant that had
 * 12 000 deliveries, PostgreSQL read and sorted all of them for a page of 20 (docs/adr/0019-plans-that-are-kept.md).
 */
export const listPlanning = ['plan_cache_mode=force_custom_plan', 'enable_sort=off', 'enable_incremental_sort=off']

/**
 * For queries on dedicated connections, which find rows by key: one plan is good whatever the tables hold. The settings
 * exclude plans that are good only while tables are small.
 */
export const keyedPlanning = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_sort=off',
  'enable_incremental_sort=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
]

const statementMsUsual = 30_000
/** A pooler without a free session accepts the connection and lets its first statement wait without a limit. */
const beginningMsMax = 5_000

type Beginning = SessionOptions & { planning: readonly string[]; idleInTransactionMsMax: number }

export async function beginSession(client: pg.ClientBase, options: Beginning): Promise<void> {
  const settings = [
    ...options.planning,
    // Before PostgreSQL 18 a disabled plan step costs 10 000 000 000, so PostgreSQL would compile each plan with such a
    // step.
    'jit=off',
    'TimeZone=UTC',
    'DateStyle=ISO',
    `statement_timeout=${options.statementTimeoutMs ?? statementMsUsual}`,
    `idle_in_transaction_session_timeout=${options.idleInTransactionMsMax}`,
    ...(options.role === undefined ? [] : [`role=${options.role}`]),
  ]
  const text = settings.map((setting) => `set ${setting}`).join('; ')
  const config: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: beginningMsMax }
  await client.query(config)
}

export function clientSettings({ statementTimeoutMs = statementMsUsual }: SessionOptions): pg.ClientConfig {
  return {
    // The server's own timeout is shorter. This limit is for a server that no longer responds.
    query_timeout: statementTimeoutMs * 1.2,
    pipeline: true,
    types: { getTypeParser },
  }
}

export type Sessions = {
  /** Call this before `new Client`. Resolves once the primary is known. */
  findPrimary(): Promise<void>
  failed(error: unknown): void
  /** For callers that create sessions with `new`, as a pool does. */
  Client: new (settings?: pg.ClientConfig) => pg.Client
}

const standbys = new WeakSet<pg.ClientBase>()

/** Call this with each session once it is open, because a standby answers reads with old data. */
export function requirePrimary(session: pg.ClientBase): void {
  if (!standbys.has(session)) return
  const client = session as pg.Client
  const { host, port } = client
  void client.end()
  throw new Error(`${host}:${port} is a standby`)
}

export const connectTimeoutMs = 5_000
/**
 * After this long without a response, the process checks whether the server is still there. If the machine or the
 * network is gone, TCP would retry for a quarter of an hour, while another server takes over within seconds.
 */
const silenceMsDefault = 5_000
/** The pause between checks doubles up to this limit, because building an index can take hours. */
const silenceMsMax = minuteMs
/** On a connection that is idle this long, the kernel sends up to ten probes, a second apart. */
const keepAliveMs = 10_000

const common: pg.ClientConfig = {
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
}

export function createSessions(address: string, silenceMs = silenceMsDefault): Sessions {
  const primary = createPrimary(address, tryOneServer)
  let asking: Promise<string | undefined> | undefined

  /**
   * Resolves with the URL of the server that a new session would use; undefined if none responds or takes writes.
   * Sessions that get no response share one search.
   */
  function ask(): Promise<string | undefined> {
    asking ??= (async () => {
      try {
        await primary.find()
        await tryOneServer(primary.url())
      } catch (error) {
        if (!isAlive(error)) {
          primary.forget()
          return undefined
        }
      } finally {
        asking = undefined
      }
      return primary.url()
    })()
    return asking
  }

  return {
    findPrimary: () => primary.find(),
    failed(error) {
      if (!isFull(error)) primary.forget()
    },
    Client: class extends pg.Client {
      constructor(settings: pg.ClientConfig = {}) {
        const url = primary.url()
        super({ ...common, ...settings, connectionString: url })
        this.on('error', () => primary.forget())
        noteStandby(this)
        this.once('connect', () => watchSilence(this, async () => (await ask()) === url, silenceMs))
      }
    },
  }
}

export async function openSession(address: string, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const sessions = createSessions(address)
  await sessions.findPrimary()
  const client = new sessions.Client(settings)
  await client.connect()
  requirePrimary(client)
  return client
}

/**
 * A server that dies just after it answered does not close the session. All other sessions wait for the check of the
 * server, so the check does not wait until TCP gives up.
 */
const endMsMax = 1_000

async function tryOneServer(url: string, over?: AbortSignal): Promise<void> {
  const client = new pg.Client({ ...common, connectionString: url, application_name: 'manilla looks for the primary' })
  client.on('error', () => undefined)
  noteStandby(client)
  const giveUp = (): void => void socketOf(client).destroy()
  over?.addEventListener('abort', giveUp)
  try {
    await client.connect()
    requirePrimary(client)
  } finally {
    over?.removeEventListener('abort', giveUp)
    if (!(await finishesWithin(endMsMax, client.end()))) giveUp()
  }
}

const readOnly = '25006'
const tooManyConnections = '53300'

/** The server has no connection left. It stays the known primary. */
function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === tooManyConnections
}

/**
 * The error is the answer of a running server, for example about a password that was changed: open sessions stay valid.
 * Class 57P means that PostgreSQL stops or starts, and class 08 that a pooler lost its server.
 */
function isAlive(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(57P|08)/.test(error.code ?? '08')
}

/**
 * PostgreSQL says at the start of a session whether it is a standby. If a pooler hides that, PostgreSQL refuses the
 * first write, and this function then closes the session.
 */
function noteStandby(client: pg.Client): void {
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, unknown>) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'on') standbys.add(client)
  })
  client.connection.on('errorMessage', ({ code }: { code?: unknown }) => {
    // Deferred, so that the caller gets its error first.
    if (code === readOnly) setImmediate(() => socketOf(client).destroy(new Error('the server takes no writes')))
  })
}

/** Closes a session whose server is gone, because the response for which it waits will not come. */
function watchSilence(client: pg.Client, isThere: () => Promise<boolean>, silenceMs: number): void {
  const socket = socketOf(client)
  let answered = socket.bytesWritten
  let patienceMs = silenceMs
  client.on('drain', () => {
    answered = socket.bytesWritten
    patienceMs = silenceMs
  })

  async function checkServer(): Promise<void> {
    const heard = socket.bytesRead
    if (socket.bytesWritten > answered) {
      const there = await isThere()
      if (!there && socket.bytesRead === heard) socket.destroy(new Error('the server fell silent'))
      patienceMs = Math.min(patienceMs * 2, silenceMsMax)
    }
    if (!socket.destroyed) socket.setTimeout(patienceMs)
  }
  socket.on('timeout', () => void checkServer())
  socket.setTimeout(silenceMs)
}

/** TLS replaces the stream that the connection began with. */
function socketOf(client: pg.Client): Socket {
  return client.connection.stream as Socket
}

// Finds the server that takes writes. A URL may name several servers, as libpq reads it:
// `postgres://user@a,b,c/manilla`. One of them is the primary, and another takes over when its machine dies. The driver
// knows only one server, so all are tried at once, and the first that takes writes is used until an error occurs.

type Primary = {
  /** Resolves once the primary is known. Callers share one search. */
  find(): Promise<void>
  url(): string
  /** Called after an error, so that the next connection tries all servers again. */
  forget(): void
}

/** `tryServer` resolves if a server takes writes. Once the signal is aborted, its result is ignored. */
export function createPrimary(
  address: string,
  tryServer: (url: string, over: AbortSignal) => Promise<unknown>,
): Primary {
  const servers = serversOf(address)
  let url = servers[0] ?? address
  let known = servers.length === 1
  let search: Promise<void> | undefined

  async function searchAll(): Promise<void> {
    const over = new AbortController()
    try {
      url = await Promise.any(servers.map((server) => tryServer(server, over.signal).then(() => server)))
      known = true
    } catch (error) {
      const reasons = error instanceof AggregateError ? error.errors : [error]
      throw new Error(`no server takes writes: ${reasons.map(briefMessage).join('; ')}`, { cause: error })
    } finally {
      over.abort()
      search = undefined
    }
  }

  return {
    find: () => (known ? Promise.resolve() : (search ??= searchAll())),
    url: () => url,
    forget: () => void (known = servers.length === 1),
  }
}

const attributes = 'target_session_attrs'

/** One URL for each server, without `target_session_attrs`: Manilla always wants the primary. */
export function serversOf(address: string): string[] {
  const [, before = '', hosts = '', path = '', query = ''] =
    /^(\w+:\/\/(?:[^/?]*@)?)([^/?@]*)([^?]*)(.*)$/.exec(address) ?? []
  const parameters = query
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !parameter.startsWith(`${attributes}=`))
  const rest = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  return hosts.split(',').map((host) => `${before}${host}${rest}`)
}

/** False if the URL asks for a standby. Manilla writes, so such a URL is a mistake. */
export function asksForPrimary(address: string): boolean {
  const asked = new URLSearchParams(address.split('?')[1]).get(attributes)
  return asked === null || asked === 'read-write' || asked === 'primary'
}
