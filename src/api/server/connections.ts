// Limits unread responses and open connections. A response stays in memory until its caller has read it. So a business
// that sends many requests and reads nothing, on any number of connections, is refused before it fills the memory of
// the process.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Unavailable } from '#platform/errors.ts'
import { createNetworks, networkOf } from '#platform/http-client/addresses.ts'
import type { Uuid } from '#platform/ids.ts'
import { addressOf } from './caller-address.ts'
import type { Exchange } from './exchange.ts'

/** About ten of the largest pages: 100 payments with as much metadata as allowed. */
export const unreadBytesPerTenantMax = 32 * 1024 * 1024
/** Smaller responses are not counted: the kernel takes them from us at once. */
const countedCharactersMin = 16 * 1024

export type Unread = {
  check(tenantId: Uuid): void
  /** Counts a response until it has been sent or its connection is closed. */
  add(tenantId: Uuid, response: ServerResponse, body: string): void
}

export function createUnread(bytesPerTenantMax = unreadBytesPerTenantMax): Unread {
  const unread = new Map<Uuid, number>()
  return {
    check(tenantId) {
      if ((unread.get(tenantId) ?? 0) < bytesPerTenantMax) return
      throw new Unavailable(
        'Too many unread responses. Finish reading pending responses before you send more requests.',
      )
    },
    add(tenantId, response, body) {
      if (body.length < countedCharactersMin) return
      const bytes = Buffer.byteLength(body)
      unread.set(tenantId, (unread.get(tenantId) ?? 0) + bytes)
      response.on('close', () => {
        const left = (unread.get(tenantId) ?? 0) - bytes
        if (left > 0) unread.set(tenantId, left)
        else unread.delete(tenantId)
      })
    },
  }
}

export type ConnectionLimits = {
  connectionsMax: number
  /**
   * A network is one IPv4 address or one IPv6 /64. The operator's proxies are exempt, because all callers share them.
   */
  connectionsPerNetworkMax: number
}

/** Why a connection was closed: its network or the process had too many, or it was new and no other could be closed. */
type ClosedBecause = 'network' | 'process' | 'busy'

export type Connections = {
  admit(socket: Socket): void
  begin(socket: Duplex, exchange: Exchange): void
  newestOf(socket: Duplex): Exchange | undefined
  /** Closes connections that wait for their next or first request. */
  closeIdle(): void
}

type Connection = { socket: Duplex; network: string | undefined; newest: Exchange | undefined }

type ConnectionsOptions = {
  limits: ConnectionLimits
  trustedProxies: readonly string[]
  onClosed: (because: ClosedBecause) => void
}

/**
 * Tracks every open connection and limits them per network and per process. If a new connection exceeds a limit, the
 * longest idle connection is closed, or else a busy one whose caller is not authenticated. If all are busy with
 * requests of authenticated callers, the new connection is closed. So no client can lock others out by keeping
 * connections open. This protects the others on its network and, if it has many networks, all callers of the process.
 */
export function createConnections({ limits, trustedProxies, onClosed }: ConnectionsOptions): Connections {
  const trusted = createNetworks(trustedProxies)
  const lines = createLines()

  /** Closes a connection if the limit is reached. Returns false if each is busy with an authenticated caller's request. */
  function makeRoom(among: ReadonlySet<Connection>, max: number, because: ClosedBecause): boolean {
    if (among.size < max) return true
    const chosen = leastNeeded(among)
    if (chosen === undefined) return false
    lines.leave(chosen)
    chosen.socket.destroy()
    onClosed(because)
    return true
  }

  return {
    admit(socket) {
      const address = addressOf(socket)
      const network = trusted.include(address) ? undefined : networkOf(address)
      const fits =
        makeRoom(lines.of(network), limits.connectionsPerNetworkMax, 'network') &&
        makeRoom(lines.all, limits.connectionsMax, 'process')
      if (!fits) {
        onClosed('busy')
        socket.destroy()
        return
      }
      const connection = { socket, network, newest: undefined }
      lines.enter(connection)
      socket.on('close', () => lines.leave(connection))
    },
    begin(socket, exchange) {
      const connection = lines.find(socket)
      if (connection === undefined) return // The connection was closed a moment ago.
      connection.newest = exchange
      lines.enter(connection)
    },
    newestOf: (socket) => lines.find(socket)?.newest,
    closeIdle() {
      for (const connection of lines.all) if (isIdle(connection)) connection.socket.destroy()
    },
  }
}

type Lines = {
  /** All connections, by the time of their last request or of their opening, oldest first. */
  all: ReadonlySet<Connection>
  /** The connections of one network, in the order of `all`. */
  of(network: string | undefined): ReadonlySet<Connection>
  find(socket: Duplex): Connection | undefined
  /** Adds or moves the connection to the end. */
  enter(connection: Connection): void
  leave(connection: Connection): void
}

function createLines(): Lines {
  const bySocket = new Map<Duplex, Connection>()
  const all = new Set<Connection>()
  const networks = new Map<string | undefined, Set<Connection>>()
  const none: ReadonlySet<Connection> = new Set()

  function leave(connection: Connection): void {
    const { socket, network } = connection
    bySocket.delete(socket)
    all.delete(connection)
    const peers = networks.get(network)
    peers?.delete(connection)
    if (peers?.size === 0) networks.delete(network)
  }

  return {
    all,
    of: (network) => networks.get(network) ?? none,
    find: (socket) => bySocket.get(socket),
    enter(connection) {
      const { socket, network } = connection
      bySocket.set(socket, connection)
      moveToEnd(all, connection)
      if (network === undefined) return
      const peers = networks.get(network) ?? new Set()
      networks.set(network, peers)
      moveToEnd(peers, connection)
    },
    leave,
  }
}

function moveToEnd(line: Set<Connection>, connection: Connection): void {
  line.delete(connection)
  line.add(connection)
}

/** Returns the longest idle connection. If none is idle, returns the unauthenticated one with the oldest request. */
function leastNeeded(among: ReadonlySet<Connection>): Connection | undefined {
  let unauthenticated: Connection | undefined
  for (const connection of among) {
    if (isIdle(connection)) return connection
    if (isUnauthenticated(connection)) unauthenticated ??= connection
  }
  return unauthenticated
}

function isUnauthenticated({ newest }: Connection): boolean {
  return newest?.caller === undefined && newest?.person === undefined
}

function isIdle({ newest }: Connection): boolean {
  return newest?.response.closed !== false
}
