// A receiver of webhooks on this machine that behaves as a test tells it, and records the deliveries.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { eventually } from './patience.ts'

/** `hang`: accepts and never answers. `dribble`: sends a byte now and then, without an end. `close`: hangs up. */
export type Behaviour = number | 'hang' | 'dribble' | 'close' | Response

type Response = { status: number; headers?: Record<string, string>; body?: string | Buffer }

/** Chosen when the delivery has come. */
export type Decide = (delivered: Delivered) => Promise<number | Response>

export type Delivered = {
  path: string
  headers: IncomingHttpHeaders
  /** The raw body. */
  body: string
  event: { id: string; event: string; reference: string; data: Record<string, unknown> }
  /** How the receiver behaved. */
  behaviour: Behaviour | Decide
}

export type Receiver = {
  /** http://127.0.0.1:port and a path. */
  url(path?: string): string
  /** The deliveries in order of arrival. */
  deliveries: Delivered[]
  at(path: string): Delivered[]
  /** The behaviors for this path from now on, one delivery after the other; the last one stays. */
  behave(path: string, ...script: (Behaviour | Decide)[]): void
  /** Resolves when so many deliveries have come to a path. */
  received(path: string, count: number): Promise<Delivered[]>
  /** The number of requests that wait for an answer. */
  hanging(): number
  /** Answers all requests that hang. */
  answerAll(status: number): void
  close(): Promise<void>
}

const dribbleMs = 20

export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivered[] = []
  const scripts = new Map<string, (Behaviour | Decide)[]>()
  const open = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
    readBody(request, (body) => {
      const path = request.url ?? '/'
      const event = JSON.parse(body) as Delivered['event']
      const script = scripts.get(path) ?? []
      const behaviour = (script.length > 1 ? script.shift() : script[0]) ?? 200
      const delivered = { path, headers: request.headers, body, event, behaviour }
      deliveries.push(delivered)
      if (typeof behaviour === 'function') void behaviour(delivered).then((answer) => act(answer, response))
      else act(behaviour, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const at = (path: string): Delivered[] => deliveries.filter((one) => one.path === path)
  return {
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    deliveries,
    at,
    behave: (path, ...script) => void scripts.set(path, script),
    received: (path, count) =>
      eventually(`${count} deliveries to ${path}`, () => {
        const came = at(path)
        return Promise.resolve(came.length >= count ? came : undefined)
      }),
    hanging: () => open.size,
    answerAll: (status) => open.forEach((response) => response.writeHead(status).end()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Stays open until the test file ends. */
export async function useReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  afterAll(() => receiver.close())
  return receiver
}

function act(behaviour: Behaviour, response: ServerResponse): void {
  if (behaviour === 'hang') return
  if (behaviour === 'close') {
    response.socket?.destroy()
    return
  }
  if (behaviour === 'dribble') {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), dribbleMs)
    response.on('close', () => clearInterval(timer))
    return
  }
  const { status, headers = {}, body = '' } = typeof behaviour === 'number' ? { status: behaviour } : behaviour
  response.writeHead(status, headers).end(body)
}

function readBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => then(Buffer.concat(chunks).toString('utf8')))
}
