// The two ends of a wire to PostgreSQL: what it leads to, and where it is met in its place. An address names a socket, or one or
// several hosts; the wire then has as many ends.

import type { ListenOptions, NetConnectOpts } from 'node:net'
import path from 'node:path'
import { serversOf } from '#base/primary.ts'
import { freePort } from './launch.ts'

export type WireEnd = { target: NetConnectOpts; met: ListenOptions }

const socketName = '.s.PGSQL.5432'
const loopback = '127.0.0.1'

/** `folder`: for its socket, when the address names one. `url`: the address by way of the wire. */
export async function wireEnds(address: string, folder: string): Promise<{ url: string; ends: WireEnd[] }> {
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
  const ends: WireEnd[] = []
  for (const server of serversOf(address)) {
    const { hostname, port } = new URL(server)
    ends.push({
      target: { host: hostname, port: Number(port === '' ? 5432 : port) },
      met: { host: loopback, port: await freePort() },
    })
  }
  const hosts = ends.map(({ met }) => `${loopback}:${met.port}`).join()
  return { url: address.replace(/@[^/@]*\//, `@${hosts}/`), ends }
}
