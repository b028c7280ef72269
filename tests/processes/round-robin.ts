// The smallest balancer: each request goes to the next process, or to the one after it if nothing listens there. It
// does not repeat a request that a process took and did not answer; it cuts the caller off, who must ask again, as with
// any balancer.

import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorCode } from '#postgres/embedded/folders.ts'

export type RoundRobin = {
  url: string
  /** The number of answers of each port. */
  answered: ReadonlyMap<number, number>
  close(): Promise<void>
}

/** `ports` may change while it runs. */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const answered = new Map<number, number>()
  let turn = 0

  const server = createServer((incoming, outgoing) => {
    const body: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => body.push(chunk))
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(body), ports.length))
    incoming.on('error', () => undefined)
  })

  function pass(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tries: number): void {
    turn += 1
    const port = ports[turn % ports.length] ?? 0
    const { method, url, headers } = incoming
    // Each request uses a new connection, because a kept one could close just as it is used again.
    const upstream = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
      answered.set(port, (answered.get(port) ?? 0) + 1)
      const { connection: _own, ...answerHeaders } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, answerHeaders)
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    upstream.on('error', (error) => {
      if (errorCode(error) === 'ECONNREFUSED' && tries > 1) pass(incoming, outgoing, body, tries - 1)
      else outgoing.destroy()
    })
    upstream.end(body)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
