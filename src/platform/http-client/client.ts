// The HTTP client of webhook deliveries and rails. URLs of webhooks come from customers, so none is trusted.
// Guarantees, each with a test:
//   - it connects only to an address that was checked: globally routable unicast, and loopback only if the request
//     permits it. The check runs between resolving and connecting, so a name that changes its address gains nothing;
//   - a request ends within its time limit, whatever the receiver does, and reads no more of a response than allowed;
//   - `sent: false` is returned only if no byte of the request was written, so that a payment may be sent again;
//   - network errors are returned, not thrown, with a message that may appear in a customer's log.
// It follows no redirect, decompresses nothing, uses no proxy of the environment, and always verifies TLS.

import { isIP } from 'node:net'
import { Client } from 'undici'
import { assert } from '#platform/assert.ts'
import { systemClock } from '#platform/clock.ts'
import {
  addressFailure,
  type AddressRules,
  asFailure,
  createNetworks,
  guardedLookup,
  isPermittedAddress,
  NetFailure,
  type NetFailureReason,
  resolveByDns,
} from './addresses.ts'

const poolDefaults = {
  connectTimeoutMs: 5_000,
  responseHeaderBytesMax: 16_384,
  /** A slow receiver must not delay others. */
  connectionsPerOriginMax: 16,
  connectionsMax: 512,
  waitingPerOriginMax: 1_024,
  /**
   * Below the 5 s after which common servers close idle connections, so that a request seldom uses one that is closing.
   */
  idleMs: 4_000,
  /**
   * Node tries the addresses of a name in turn. Its default of 250 ms each is one round trip from Lagos to California.
   */
  addressAttemptMs: 1_500,
  resolve: resolveByDns,
  denied: createNetworks([]),
  /** PEM texts. These authorities are trusted instead of those of Node. */
  certificateAuthorities: undefined as string[] | undefined,
}

type PoolSettings = typeof poolDefaults

/** Used instead of an AbortSignal, which for each request would cost 5 % of a delivery. */
class Stop {
  reason: NetFailure | undefined
  #listeners: ((reason: NetFailure) => void)[] = []

  give(reason: NetFailure): void {
    if (this.reason !== undefined) return
    this.reason = reason
    for (const listener of this.#listeners) listener(reason)
  }

  whenGiven(listener: (reason: NetFailure) => void): void {
    this.#listeners.push(listener)
  }
}

type HostQueue = { busy: number; waiting: Set<() => void> }
type PooledConnection = { key: string; client: Client; cancel: AbortController; broken: boolean }

/** Each connection is an undici Client of its own, so that the limits count sockets, busy and idle. */
class Pool {
  readonly #settings: PoolSettings
  readonly #queues = new Map<string, HostQueue>()
  readonly #idle = new Set<PooledConnection>()
  #busy = 0
  #closed: PromiseWithResolvers<void> | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  async use<A extends { truncated: boolean }>(
    url: URL,
    { permission, stop }: { permission: AddressRules; stop: Stop },
    work: (client: Client) => Promise<A>,
  ): Promise<A> {
    // A connection that was opened with loopback permitted never serves a request without that permission.
    const key = `${permission.allowLoopback ? 'loopback' : 'public'} ${url.origin}`
    const queue = await this.#enter(key, stop)
    const connection = this.#lastIdle(key) ?? this.#open(key, url, permission)
    this.#idle.delete(connection)
    let reusable = false
    try {
      const answer = await work(connection.client)
      reusable = !answer.truncated
      return answer
    } finally {
      this.#busy--
      queue.busy--
      if (reusable && !connection.broken && this.#closed === undefined) this.#idle.add(connection)
      else this.#discard(connection)
      this.#admit()
      if (this.#busy === 0) this.#closed?.resolve()
    }
  }

  drain(): Promise<void> {
    this.#closed ??= Promise.withResolvers()
    for (const connection of this.#idle) this.#discard(connection)
    if (this.#busy === 0) this.#closed.resolve()
    return this.#closed.promise
  }

  #lastIdle(key: string): PooledConnection | undefined {
    let last: PooledConnection | undefined
    for (const connection of this.#idle) if (connection.key === key) last = connection
    return last
  }

  #enter(key: string, stop: Stop): Promise<HostQueue> {
    const queue = this.#queues.get(key) ?? { busy: 0, waiting: new Set() }
    return new Promise((resolve, reject) => {
      const refuse = (failure: NetFailure): void => reject(failure)
      if (stop.reason !== undefined) return refuse(stop.reason)
      if (this.#closed !== undefined) return refuse(new NetFailure('aborted', 'the sender is shutting down'))
      if (queue.waiting.size >= this.#settings.waitingPerOriginMax) {
        return refuse(new NetFailure('connect', 'too many requests wait for a connection to this receiver'))
      }
      const grant = (): void => resolve(queue)
      stop.whenGiven((reason) => {
        if (queue.waiting.delete(grant)) refuse(reason)
      })
      this.#queues.set(key, queue)
      queue.waiting.add(grant)
      this.#admit()
    })
  }

  /** Origins take turns, so that one with many waiting requests does not use all connections. */
  #admit(): void {
    for (const [key, queue] of this.#queues) {
      if (queue.busy === 0 && queue.waiting.size === 0) this.#queues.delete(key)
      const [grant] = queue.waiting
      if (grant === undefined || queue.busy >= this.#settings.connectionsPerOriginMax) continue
      if (this.#busy >= this.#settings.connectionsMax) return
      queue.waiting.delete(grant)
      queue.busy++
      this.#busy++
      this.#queues.delete(key)
      this.#queues.set(key, queue)
      grant()
    }
  }

  #open(key: string, url: URL, permission: AddressRules): PooledConnection {
    const settings = this.#settings
    const [longestIdle] = this.#idle
    if (longestIdle !== undefined && this.#busy + this.#idle.size > settings.connectionsMax) this.#discard(longestIdle)
    const cancel = new AbortController()
    const client = new Client(url.origin, {
      connect: {
        lookup: guardedLookup(settings.resolve, permission),
        signal: cancel.signal,
        timeout: settings.connectTimeoutMs,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: settings.addressAttemptMs,
        // An IP address has no server name. Node checks the certificate against the address.
        servername: isIP(hostOf(url)) === 0 ? hostOf(url).replace(/\.$/, '') : '',
        rejectUnauthorized: true,
        ca: settings.certificateAuthorities,
        // Node does not check the certificate of a resumed session.
        maxCachedSessions: 0,
      },
      maxHeaderSize: settings.responseHeaderBytesMax,
      keepAliveTimeout: settings.idleMs,
      keepAliveMaxTimeout: settings.idleMs,
      // `timeoutMs` of the request replaces these two.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const connection: PooledConnection = { key, client, cancel, broken: false }
    client.on('disconnect', () => {
      connection.broken = true
      if (this.#idle.has(connection)) this.#discard(connection)
    })
    return connection
  }

  #discard(connection: PooledConnection): void {
    this.#idle.delete(connection)
    void connection.client.destroy()
    connection.cancel.abort()
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

export type NetRequest = {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Buffer | undefined
  /** Limits the time from the wait for a connection to the end of the response. */
  timeoutMs?: number
  /** The rest of a longer response is not read. */
  maxResponseBytes?: number
  allowLoopback?: boolean
  signal?: AbortSignal | undefined
  /** Called just before the first byte is written. If it returns false, nothing is sent. */
  mayLeave?: (() => boolean) | undefined
}

type RawResponse = { status: number; headers: Record<string, string>; body: Buffer; truncated: boolean }

export type NetResult =
  | (RawResponse & { kind: 'answered'; durationMs: number; retryAfterSeconds?: number })
  | { kind: 'failed'; reason: NetFailureReason; sent: boolean; message: string; durationMs: number }

export type Net = {
  request(request: NetRequest): Promise<NetResult>
  close(): Promise<void>
}

const defaults = {
  ...poolDefaults,
  timeoutMs: 30_000,
  maxResponseBytes: 1_048_576,
  clock: systemClock,
  traceHeaders: (): Record<string, string> | undefined => undefined,
}

type Settings = typeof defaults

export function createNet(options: Partial<Settings> = {}): Net {
  const settings = { ...defaults, ...options }
  const pool = new Pool(settings)
  return { request: (request) => perform(pool, settings, request), close: () => pool.drain() }
}

/** `sent` becomes true just before the first byte is written: from then on the receiver may have acted. */
type OpenExchange = { request: NetRequest; maxResponseBytes: number; stop: Stop; sent: boolean }

async function perform(pool: Pool, settings: Settings, request: NetRequest): Promise<NetResult> {
  const { timeoutMs = settings.timeoutMs, maxResponseBytes = settings.maxResponseBytes } = request
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  const stop = new Stop()
  const exchange: OpenExchange = { request, maxResponseBytes, stop, sent: false }
  const abort = (): void => stop.give(new NetFailure('aborted', 'the request was canceled by the sender'))
  const timer = setTimeout(() => {
    const what = exchange.sent ? 'there was no complete answer' : 'the request could not be sent'
    stop.give(new NetFailure('timeout', `${what} within ${timeoutMs} ms`))
  }, timeoutMs)
  request.signal?.addEventListener('abort', abort)
  if (request.signal?.aborted === true) abort()
  try {
    const permission = { allowLoopback: request.allowLoopback ?? false, denied: settings.denied }
    const url = checkedUrl(request.url, permission)
    const traced = settings.traceHeaders()
    if (traced !== undefined) exchange.request = { ...request, headers: { ...request.headers, ...traced } }
    const answer = await pool.use(url, { permission, stop }, (client) => send(client, url, exchange))
    const retryAfterSeconds = parseRetryAfter(answer.headers['retry-after'], settings.clock.now())
    const result = { kind: 'answered' as const, ...answer, durationMs: durationMs() }
    return retryAfterSeconds === undefined ? result : { ...result, retryAfterSeconds }
  } catch (error) {
    if (!(error instanceof NetFailure)) throw error
    const { reason, message } = error
    return { kind: 'failed', reason, sent: exchange.sent, message, durationMs: durationMs() }
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', abort)
  }
}

function checkedUrl(unchecked: string, permission: AddressRules): URL {
  const url = URL.parse(unchecked)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    throw new NetFailure('protocol', 'the URL is not an absolute http or https URL without user info')
  }
  // Node looks up only names, so `guardedLookup` would not see a host that is an IP address.
  if (isIP(hostOf(url)) !== 0 && !isPermittedAddress(hostOf(url), permission)) throw addressFailure()
  return url
}

const always = (): boolean => true

function send(client: Client, url: URL, exchange: OpenExchange): Promise<RawResponse> {
  const { stop } = exchange
  const { method, headers: requestHeaders = {}, body = null, mayLeave = always } = exchange.request
  // If there were a Host header, undici would check the certificate against it instead of the host of the URL.
  assert(!Object.keys(requestHeaders).some((name) => /^host$/i.test(name)), 'the Host header comes from the URL')
  const chunks: Buffer[] = []
  let room = exchange.maxResponseBytes
  let status = 0
  let headers: Record<string, string> = {}
  return new Promise((resolve, reject) => {
    const finish = (truncated: boolean): void => resolve({ status, headers, body: Buffer.concat(chunks), truncated })
    const fail = (error: unknown): void => reject(asFailure(error, url, exchange.sent))
    if (stop.reason !== undefined) return fail(stop.reason)
    stop.whenGiven(fail)
    client.dispatch(
      { path: url.pathname + url.search, method, headers: requestHeaders, body },
      {
        onRequestStart: (controller) => {
          if (mayLeave()) exchange.sent = true
          else controller.abort(new NetFailure('aborted', 'the time in which the request could be sent was over'))
        },
        // Also called for interim responses (1xx), before the final one.
        onResponseStart: (_controller, received, fields) => {
          status = received
          headers = {}
          for (const name of Object.keys(fields)) headers[name] = String(fields[name])
        },
        onResponseData: (_controller, chunk) => {
          chunks.push(chunk.subarray(0, room))
          if (chunk.length > room) finish(true)
          room = Math.max(0, room - chunk.length)
        },
        onResponseEnd: () => finish(false),
        onResponseError: (_controller, error) => fail(error),
      },
    )
  })
}

/** Whole seconds from `120` or an HTTP date. A date without GMT would be read in the time zone of the machine. */
function parseRetryAfter(unchecked: string | undefined, nowMs: number): number | undefined {
  if (unchecked === undefined) return undefined
  if (/^\d{1,9}$/.test(unchecked)) return Number.parseInt(unchecked, 10)
  const atMs = /^[A-Z][a-z]+, [\w :-]+ GMT$/.test(unchecked) ? Date.parse(unchecked) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}
