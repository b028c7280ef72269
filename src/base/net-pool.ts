// The connections of the outgoing HTTP client: how many there may be, in all and to one origin, who gets the next one, and
// how each is made. A connection leads to a checked address only.

import { isIP } from 'node:net'
import { Client } from 'undici'
import { guardedLookup, resolveByDns, type Permission } from './address.ts'
import { NetFailure } from './net-failure.ts'
import { createNetworks } from './network.ts'

export const poolDefaults = {
  /** Covers DNS, TCP and the TLS handshake of one connection. */
  connectTimeoutMs: 5_000,
  responseHeaderBytesMax: 16_384,
  /** One origin's share, so that a slow receiver holds up no other. */
  connectionsPerOriginMax: 16,
  connectionsMax: 512,
  waitingPerOriginMax: 1_024,
  /** Below the 5 s after which common servers hang up, so that a request seldom meets a connection just closed. */
  idleMs: 4_000,
  /** Node tries a name's addresses in turn. Its own 250 ms for each is one round trip from Lagos to California. */
  addressAttemptMs: 1_500,
  resolve: resolveByDns,
  /** What the operator wants nobody to call. */
  denied: createNetworks([]),
  /** PEM texts. When given, these authorities are trusted instead of those that Node brings. */
  certificateAuthorities: undefined as string[] | undefined,
}

export type PoolSettings = typeof poolDefaults

/** What ends a request early, once. An AbortSignal for each request would be a twentieth of what a delivery costs. */
export class Stop {
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

type Route = { busy: number; waiting: Set<() => void> }
type Connection = { key: string; client: Client; cancel: AbortController; broken: boolean }

/** Each connection is an undici Client of its own, so the limits count sockets, busy and idle ones together. */
export class Pool {
  readonly #settings: PoolSettings
  readonly #routes = new Map<string, Route>()
  readonly #idle = new Set<Connection>()
  #busy = 0
  #closed: PromiseWithResolvers<void> | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  async use<A extends { truncated: boolean }>(
    url: URL,
    { permission, stop }: { permission: Permission; stop: Stop },
    work: (client: Client) => Promise<A>,
  ): Promise<A> {
    // A connection that was opened with the wider permission never serves a request with the narrower one.
    const key = `${permission.allowLoopback ? 'loopback' : 'public'} ${url.origin}`
    const route = await this.#enter(key, stop)
    const connection = [...this.#idle].findLast((other) => other.key === key) ?? this.#open(key, url, permission)
    this.#idle.delete(connection)
    let reusable = false
    try {
      const answer = await work(connection.client)
      reusable = !answer.truncated
      return answer
    } finally {
      this.#busy--
      route.busy--
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

  /** Resolves when the limits permit one more connection. */
  #enter(key: string, stop: Stop): Promise<Route> {
    const route = this.#routes.get(key) ?? { busy: 0, waiting: new Set() }
    return new Promise((resolve, reject) => {
      const refuse = (failure: NetFailure): void => reject(failure)
      if (stop.reason !== undefined) return refuse(stop.reason)
      if (this.#closed !== undefined) return refuse(new NetFailure('aborted', 'the sender is shutting down'))
      if (route.waiting.size >= this.#settings.waitingPerOriginMax) {
        return refuse(new NetFailure('connect', 'too many requests wait for a connection to this receiver'))
      }
      const grant = (): void => resolve(route)
      stop.whenGiven((reason) => {
        if (route.waiting.delete(grant)) refuse(reason)
      })
      this.#routes.set(key, route)
      route.waiting.add(grant)
      this.#admit()
    })
  }

  /** Origins take turns, so that one with many requests waiting doesn't keep all connections to itself. */
  #admit(): void {
    for (const [key, route] of this.#routes) {
      if (route.busy === 0 && route.waiting.size === 0) this.#routes.delete(key)
      const [grant] = route.waiting
      if (grant === undefined || route.busy >= this.#settings.connectionsPerOriginMax) continue
      if (this.#busy >= this.#settings.connectionsMax) return
      route.waiting.delete(grant)
      route.busy++
      this.#busy++
      this.#routes.delete(key)
      this.#routes.set(key, route)
      grant()
    }
  }

  #open(key: string, url: URL, permission: Permission): Connection {
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
        // For an address (not a name) the certificate is checked against the address.
        servername: isIP(hostOf(url)) === 0 ? hostOf(url).replace(/\.$/, '') : '',
        rejectUnauthorized: true,
        ca: settings.certificateAuthorities,
        // A resumed session would skip the check of the certificate.
        maxCachedSessions: 0,
      },
      maxHeaderSize: settings.responseHeaderBytesMax,
      keepAliveTimeout: settings.idleMs,
      keepAliveMaxTimeout: settings.idleMs,
      // The limit of the whole request stands above these two.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const connection: Connection = { key, client, cancel, broken: false }
    client.on('disconnect', () => {
      connection.broken = true
      if (this.#idle.has(connection)) this.#discard(connection)
    })
    return connection
  }

  #discard(connection: Connection): void {
    this.#idle.delete(connection)
    void connection.client.destroy()
    connection.cancel.abort()
  }
}

/** The host as Node wants it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}
