// Sessions with PostgreSQL: always with the server that takes writes, and never with one that has gone without a word.
// Whoever opens one, the pool, a lane or whoever migrates, opens it here.

import type { Socket } from 'node:net'
import pg from 'pg'
import { minuteMs } from './durations.ts'
import { createPrimary } from './primary.ts'

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
  const primary = createPrimary(address, tryServer)
  let asking: Promise<string | undefined> | undefined

  /** The server that a new session finds, if there is one: all sessions that hear nothing share the question. */
  function ask(): Promise<string | undefined> {
    asking ??= (async () => {
      try {
        await primary.settle()
        await tryServer(primary.url())
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
async function tryServer(url: string, over?: AbortSignal): Promise<void> {
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
