// A developer's program that receives webhooks, and keeps what came.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export type Received = { headers: IncomingHttpHeaders; body: string; reference: string }

export type Receiver = {
  url: string
  received: Received[]
  /** Of all that came so far, in order. */
  references(): string[]
}

export async function startReceiver(statusOf: (received: Received) => number = () => 200): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const one = { headers: request.headers, body, reference: JSON.parse(body).reference as string }
      received.push(one)
      response.writeHead(statusOf(one)).end('{"from":"the receiver"}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    references: () => received.map(({ reference }) => reference),
  }
}
