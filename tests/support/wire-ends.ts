// The two ends of a wire to PostgreSQL: the address that it leads to, and its own address. An address names a socket,
// or one or several hosts; the wire has as many ends.

import { randomInt } from 'node:crypto'
import type { ListenOptions, NetConnectOpts } from 'node:net'
import path from 'node:path'
import { serversOf } from '#platform/db/sessions.ts'

export type WireEnd = { target: NetConnectOpts; met: ListenOptions & { port?: number } }

const socketName = '.s.PGSQL.5432'
const postgresPort = 5432

/**
 * A loopback address that no other wire has, before or after this one: a client that still tries a wire that is gone
 * must not reach another. The first numbers come from the process id, so that processes rarely meet.
 */
let wires = 0
const range = `127.${randomInt(1, 255)}`
const newHost = (): string => `${range}.${(wires += 1) >> 8}.${wires & 255}`

/** `folder`: for its socket, if the address names one. `url`: the address through the wire. */
export function wireEnds(address: string, folder: string): { url: string; ends: WireEnd[] } {
  const [base = '', query = ''] = address.split('?', 2)
  const parameters = new URLSearchParams(query)
  const socketFolder = parameters.get('host')
  if (socketFolder !== null) {
    parameters.set('host', folder)
    const target = { path: path.join(socketFolder, socketName) }
    return {
      url: `${base}?${parameters.toString()}`,
      ends: [{ target, met: { path: path.join(folder, socketName) } }],
    }
  }
  const ends = serversOf(address).map((server) => {
    const { hostname, port } = new URL(server)
    return {
      target: { host: hostname, port: port === '' ? postgresPort : Number(port) },
      met: { host: newHost(), port: postgresPort },
    }
  })
  const hosts = ends.map(({ met }) => `${met.host}:${met.port}`).join()
  return { url: address.replace(/@[^/@]*\//, `@${hosts}/`), ends }
}
