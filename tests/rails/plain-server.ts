// A server that gives every request the same answer.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PlainAnswer = { status?: number; headers?: Record<string, string>; body?: string } | 'cut'

export type PlainServer = { url: string; requests: number; close(): Promise<void> }

export async function startPlainServer(answer: PlainAnswer): Promise<PlainServer> {
  const server = createServer((request, response) => {
    plain.requests += 1
    request.resume()
    if (answer === 'cut') return void request.socket.destroy()
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  const plain: PlainServer = {
    url: '',
    requests: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  plain.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return plain
}
