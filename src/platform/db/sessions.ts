// What a session with PostgreSQL is told when it begins: how it plans, how long it may take, as whom it works. It is told by the
// first statement that is sent in it, and not by parameters of the start, which poolers do not hand on. Nothing else is sent
// before that has worked: a statement would run with the rights of the login, and without limits of time.

import type { Socket } from 'node:net'
import pg from 'pg'
import { minuteMs } from '#platform/durations.ts'
import { brief } from '#platform/errors.ts'

export type SessionOptions = {
  /** The role that every session takes; the login must be it or a member of it. Absent: the login itself. */
  role?: string
  statementTimeoutMs?: number
}

/**
 * For lists and other questions whose conditions differ from one time to the next: planned anew each time, with the values.
 * Sorting is the last resort, because a list lies in order in an index of its own. A planner that took a tenant of 12 000
 * deliveries for one row read and sorted them all for a page of 20 (docs/adr/0019-plans-that-are-kept.md).
 */
export const listPlanning = ['plan_cache_mode=force_custom_plan', 'enable_sort=off', 'enable_incremental_sort=off']

/** For what reads whole tables, where sorting is right. */
export const wholePlanning = 'set local enable_sort = on; set local enable_incremental_sort = on'

/**
 * For what is asked on a dedicated connection: it finds its rows by key, so it has one good plan whatever the tables hold.
 * That plan is made once, without the choices that would only be good while the tables are small.
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
/** A pooler that has no session to give takes the connection all the same, and lets its first statement wait. */
const beginningMsMax = 5_000

type Beginning = SessionOptions & { planning: readonly string[]; idleInTransactionMsMax: number }

export async function beginSession(client: pg.ClientBase, options: Beginning): Promise<void> {
  const settings = [
    ...options.planning,
    // Before PostgreSQL 18 a step that is switched off and taken all the same costs 10 000 000 000: worth compiling, it seems.
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
    // The server gives up first; if it does not, nobody will.
    query_timeout: statementTimeoutMs * 1.2,
    pipeline: true,
    types: { getTypeParser },
  }
}

// A bigint is money or a count: it must not pass through a double. Times are UTC ISO text, which Date reads.
const bigintOid = 20
const timestamptzOid = 1184

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return (text) => new Date(`${text.replace(' ', 'T').slice(0, -3)}Z`)
  return pg.types.getTypeParser(oid, format) as (text: string) => unknown
}

// Sessions with PostgreSQL: always with the server that takes writes, and never with one that has gone without a word.
// Whoever opens one, the pool, a lane or whoever migrates, opens it here.

export type Sessions = {
  /** Before a session is made: resolves when it is known with which server. */
  settle(): Promise<void>
  /** A session could not be opened, for that reason. */
  failed(error: unknown): void
  /** For who makes sessions with `new`, as a pool does. */
  Client: new (settings?: pg.ClientConfig) => pg.Client
}

/** What a session's server said of itself. */
const standbys = new WeakSet<pg.ClientBase>()

/** To be called with each session once it is open: a standby answers reads, with what was true a while ago. */
export function requirePrimary(session: pg.ClientBase): void {
  if (!standbys.has(session)) return
  const client = session as pg.Client
  const { host, port } = client
  void client.end()
  throw new Error(`${host}:${port} is a standby`)
}

export const connectTimeoutMs = 5_000
/**
 * So long an answer may take before it is asked whether the server is there at all. Should its machine or the wire be gone,
 * TCP would try for a quarter of an hour, while another server has taken over within seconds.
 */
const silenceMsDefault = 5_000
/** While an answer is out, the same is asked less and less often: an index is built in hours. */
const silenceMsMax = minuteMs
/** The first of ten questions, a second apart, of the kernel on a connection that is not used. */
const keepAliveMs = 10_000

/** What every session has: `settings` are the session's own. */
const common: pg.ClientConfig = {
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
}

export function createSessions(address: string, silenceMs = silenceMsDefault): Sessions {
  const primary = createPrimary(address, tryOneServer)
  let asking: Promise<string | undefined> | undefined

  /** The server that a new session finds, if there is one: all sessions that hear nothing share the question. */
  function ask(): Promise<string | undefined> {
    asking ??= (async () => {
      try {
        await primary.settle()
        await tryOneServer(primary.url())
      } catch (error) {
        if (!isFull(error)) {
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
    settle: () => primary.settle(),
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

/** For whoever needs one session and closes it. */
export async function openSession(address: string, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const sessions = createSessions(address)
  await sessions.settle()
  const client = new sessions.Client(settings)
  await client.connect()
  requirePrimary(client)
  return client
}

/** Resolves when that server takes writes. */
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
    await client.end()
  }
}

const readOnly = '25006'
const tooManyConnections = '53300'

/** A server that has no room for another session is there. */
function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === tooManyConnections
}

/**
 * PostgreSQL says at the start of each session whether it is a standby. Behind a pooler that keeps this to itself, the first
 * write is refused, and the session is of no use any more.
 */
function noteStandby(client: pg.Client): void {
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, unknown>) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'on') standbys.add(client)
  })
  client.connection.on('errorMessage', ({ code }: { code?: unknown }) => {
    // After who wrote has been told so.
    if (code === readOnly) setImmediate(() => socketOf(client).destroy(new Error('the server takes no writes')))
  })
}

/** Ends a session in which a question has no answer, when its server is gone: the answer will never come. */
function watchSilence(client: pg.Client, isThere: () => Promise<boolean>, silenceMs: number): void {
  const socket = socketOf(client)
  let answered = socket.bytesWritten
  let patienceMs = silenceMs
  client.on('drain', () => {
    answered = socket.bytesWritten
    patienceMs = silenceMs
  })

  async function look(): Promise<void> {
    const heard = socket.bytesRead
    if (socket.bytesWritten > answered) {
      const there = await isThere()
      if (!there && socket.bytesRead === heard) socket.destroy(new Error('the server fell silent'))
      patienceMs = Math.min(patienceMs * 2, silenceMsMax)
    }
    if (!socket.destroyed) socket.setTimeout(patienceMs)
  }
  socket.on('timeout', () => void look())
  socket.setTimeout(silenceMs)
}

/** With TLS it is another one than in the beginning. */
function socketOf(client: pg.Client): Socket {
  return client.connection.stream as Socket
}

// Which server takes the writes. An address may name several, as libpq reads it: `postgres://user@a,b,c/manilla`. One of
// them is the primary, and which one changes when a machine dies. The driver knows one server, so all are asked at once,
// and the first that takes writes is remembered until something goes wrong with it.

type Primary = {
  /** Resolves when it is known. All who ask meanwhile share one search. */
  settle(): Promise<void>
  /** Its own address, as it was known last. */
  url(): string
  /** Something went wrong with it: whoever connects next asks them all. */
  forget(): void
}

/** `tryServer` resolves when a server takes writes; once the signal is given, its answer does not matter any more. */
export function createPrimary(
  address: string,
  tryServer: (url: string, over: AbortSignal) => Promise<unknown>,
): Primary {
  const servers = serversOf(address)
  let url = servers[0] ?? address
  let known = servers.length === 1
  let search: Promise<void> | undefined

  async function find(): Promise<void> {
    const over = new AbortController()
    try {
      url = await Promise.any(servers.map((server) => tryServer(server, over.signal).then(() => server)))
      known = true
    } catch (error) {
      const reasons = error instanceof AggregateError ? error.errors : [error]
      throw new Error(`no server takes writes: ${reasons.map(brief).join('; ')}`, { cause: error })
    } finally {
      over.abort()
      search = undefined
    }
  }

  return {
    settle: () => (known ? Promise.resolve() : (search ??= find())),
    url: () => url,
    forget: () => void (known = servers.length === 1),
  }
}

const attributes = 'target_session_attrs'

/** An address for each server that it names. The driver need not know what sessions we want: it is always the same. */
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

/** Manilla writes: an address that asks for a standby was meant for somebody else. */
export function asksForPrimary(address: string): boolean {
  const asked = new URLSearchParams(address.split('?')[1]).get(attributes)
  return asked === null || asked === 'read-write' || asked === 'primary'
}
