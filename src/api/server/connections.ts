// Answers that were written and that their callers have not taken yet stay in memory. A business that asks for much and reads
// nothing, on however many connections, is refused before it fills the process.

import type { ServerResponse, IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Unavailable } from '#platform/errors.ts'
import { createNetworks, plainAddress, networkOf } from '#platform/http-client/addresses.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Exchange } from './exchange.ts'

/** Ten of the largest pages, 100 payments with all the metadata that they may have. */
export const unreadBytesPerTenantMax = 32 * 1024 * 1024
/** The kernel takes smaller ones at once, whoever reads them; they are not worth the counting. */
const countedCharactersMin = 16 * 1024

export type Unread = {
  /** Throws while so much waits to be read by this tenant. */
  check(tenantId: Uuid): void
  /** Counts an answer until it has left, or its connection is gone. */
  add(tenantId: Uuid, response: ServerResponse, body: string): void
}

export function createUnread(bytesPerTenantMax = unreadBytesPerTenantMax): Unread {
  const unread = new Map<Uuid, number>()
  return {
    check(tenantId) {
      if ((unread.get(tenantId) ?? 0) < bytesPerTenantMax) return
      throw new Unavailable('Too much of what was answered has not been read. Read the answers that are on their way.')
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

// Where a request comes from. Behind proxies that the operator trusts it is what they say, and of that only what nobody
// but they can have said: each puts the address that called it at the right end of X-Forwarded-For, so the first one
// from the right that is not theirs is the caller's. Whatever stands left of it the caller may have made up.

/** Of a request whose connection is gone already. */
const unknownAddress = 'unknown'

export type CallerAddress = (request: IncomingMessage) => string

export function createCallerAddress(trustedProxies: readonly string[]): CallerAddress {
  const trusted = createNetworks(trustedProxies)
  return ({ socket, headers }) => {
    let address = addressOf(socket)
    let rest = String(headers['x-forwarded-for'] ?? '')
    while (rest !== '' && trusted.include(address)) {
      const comma = rest.lastIndexOf(',')
      const named = addressIn(rest.slice(comma + 1).trim())
      if (named === undefined) break // A proxy that does not know its caller: more is not known.
      address = named
      rest = rest.slice(0, Math.max(0, comma))
    }
    return address
  }
}

export function addressOf({ remoteAddress }: { remoteAddress?: string | undefined }): string {
  return remoteAddress === undefined ? unknownAddress : plainAddress(remoteAddress)
}

/** Some proxies name the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}

// Every open connection. One network may hold so many and the whole process so many more; whoever comes when they are all
// taken is let in, and the connection closed in its place is the one that was idle for longest. So nobody shuts
// others out by holding connections: neither its neighbours on one network nor, from many networks, everybody.

export type ConnectionLimits = {
  connectionsMax: number
  /** Of one IPv4 address or one IPv6 /64. The operator's proxies are exempt: behind one stands everybody. */
  connectionsPerNetworkMax: number
}

/** Why a connection was closed: its network or the process had too many, or, being new, it found all others at work. */
type ClosedBecause = 'network' | 'process' | 'busy'

export type Connections = {
  admit(socket: Socket): void
  /** Notes the newest request of a connection. */
  begin(socket: Duplex, exchange: Exchange): void
  newestOf(socket: Duplex): Exchange | undefined
  /** Closes those that wait for their next, or first, request. */
  closeIdle(): void
}

type Connection = { socket: Duplex; network: string | undefined; newest: Exchange | undefined }

type ConnectionsOptions = {
  limits: ConnectionLimits
  trustedProxies: readonly string[]
  onClosed: (because: ClosedBecause) => void
}

export function createConnections({ limits, trustedProxies, onClosed }: ConnectionsOptions): Connections {
  const trusted = createNetworks(trustedProxies)
  const lines = createLines()

  /** False: there are too many, and all of them are at work for a business. */
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
      if (connection === undefined) return // Closed a moment ago.
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
  /** The one whose last request came longest ago stands first, here and in each network. */
  all: ReadonlySet<Connection>
  of(network: string | undefined): ReadonlySet<Connection>
  find(socket: Duplex): Connection | undefined
  /** As the last one. */
  enter(connection: Connection): void
  leave(connection: Connection): void
}

function createLines(): Lines {
  const bySocket = new Map<Duplex, Connection>()
  const all = new Set<Connection>()
  const networks = new Map<string | undefined, Set<Connection>>()
  const nobody: ReadonlySet<Connection> = new Set()

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
    of: (network) => networks.get(network) ?? nobody,
    find: (socket) => bySocket.get(socket),
    enter(connection) {
      const { socket, network } = connection
      bySocket.set(socket, connection)
      asLast(all, connection)
      if (network === undefined) return
      const peers = networks.get(network) ?? new Set()
      networks.set(network, peers)
      asLast(peers, connection)
    },
    leave,
  }
}

function asLast(line: Set<Connection>, connection: Connection): void {
  line.delete(connection)
  line.add(connection)
}

/** The longest idle one; where none is, the one that has served for longest somebody without a key. */
function leastNeeded(among: ReadonlySet<Connection>): Connection | undefined {
  let stranger: Connection | undefined
  for (const connection of among) {
    if (isIdle(connection)) return connection
    if (isStranger(connection)) stranger ??= connection
  }
  return stranger
}

function isStranger({ newest }: Connection): boolean {
  return newest?.caller === undefined && newest?.person === undefined
}

function isIdle({ newest }: Connection): boolean {
  return newest?.response.closed !== false
}
