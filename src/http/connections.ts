// Every open connection. One network may hold so many and the whole process so many more; whoever comes when they are all
// taken is let in, and the connection closed in its place is the one that was idle for longest. So nobody shuts
// others out by holding connections: neither its neighbours on one network nor, from many networks, everybody.

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createNetworks, networkOf } from '#base/network.ts'
import { addressOf } from './caller-address.ts'
import type { Exchange } from './exchange.ts'

export type ConnectionLimits = {
  connectionsMax: number
  /** Of one IPv4 address or one IPv6 /64. The operator's proxies are exempt: behind one stands everybody. */
  connectionsPerNetworkMax: number
}

/** Why a connection was closed: its network or the process had too many, or, being new, it found all others at work. */
export type ClosedBecause = 'network' | 'process' | 'busy'

export type Connections = {
  admit(socket: Socket): void
  /** Notes the newest request of a connection. */
  begin(socket: Duplex, exchange: Exchange): void
  newestOf(socket: Duplex): Exchange | undefined
  /** Closes those that wait for their next, or first, request. */
  closeIdle(): void
}

type Connection = { socket: Duplex; network: string | undefined; newest: Exchange | undefined }

export type ConnectionsOptions = {
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
