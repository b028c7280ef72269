// Shared by the fakes of all providers: a real HTTP server that checks requests strictly, and gives bad answers when a
// test tells it to.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spokenInstead, type ProviderWords } from './provider-words.ts'

/** How a test makes the server handle one call. `…-done`: the server does the work, and its answer is lost or wrong. */
export const acts = [
  'answer',
  'late',
  'never',
  'twice',
  'cut-before',
  'cut-after',
  'error-done',
  'error-not-done',
  'half',
  'wrong-length',
  'page',
  'forbidden-page',
  'gateway-page',
  'maintenance-page',
  'redirect',
  'other-payment',
  'other-amount',
  'odd-word',
  'duplicate',
  'duplicate-untrue',
  'missing',
  'missing-page',
  'too-many',
  'too-many-silent',
  'no-money',
  'key-refused',
] as const
export type Act = (typeof acts)[number]

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

export type Asked = {
  method: string
  path: string
  query: URLSearchParams
  request: IncomingMessage
  body: unknown
  text: string
}

export type Handler = (asked: Asked) => { act: Act; work: () => Answer; spoil?: Partial<Record<Act, () => Answer>> }

export type FakeServer = {
  url: string
  /** Requests that the provider's documents do not allow. A test ends with none. */
  faults: string[]
  /** The next calls whose method and path match are handled by these acts, one by one, before the acts of a script. */
  meet(call: RegExp, ...acts: Act[]): void
  /** Returns true when calls have used up all acts of `meet`. */
  met(): boolean
  /** Drops the acts of `meet` that no call has used, and answers each question about a payout from now on. */
  calm(): void
  /** The number of calls in progress that will still be answered or broken off. */
  underWay(): number
  /** Opens another address of the same server, which can be cut by itself. */
  openDoor(): Promise<Door>
  close(): Promise<void>
}

export type Door = { url: string; close(): Promise<void> }

const lateMs = 1_300

export async function startFake(words: ProviderWords, handle: Handler): Promise<FakeServer> {
  const faults: string[] = []
  const meetings: { call: RegExp; act: Act }[] = []
  const interrupted: Handler = (asked) => {
    const performance = handle(asked)
    const at = meetings.findIndex(({ call }) => call.test(`${asked.method} ${asked.path}`))
    const [meeting] = at < 0 ? [] : meetings.splice(at, 1)
    if (meeting === undefined) return performance
    const { work, spoil } = performance
    return { work, act: meeting.act, spoil: { ...spokenInstead(words, asked, work), ...spoil } }
  }
  const underWay = new Set<ServerResponse>()
  const openDoor = (): Promise<Door> => listen(interrupted, faults, underWay)
  const meet = (call: RegExp, ...more: Act[]): void => void meetings.push(...more.map((act) => ({ call, act })))
  const calm = (): void => void meetings.splice(0)
  const met = (): boolean => meetings.length === 0
  return { ...(await openDoor()), faults, meet, met, calm, underWay: () => underWay.size, openDoor }
}

async function listen(handle: Handler, faults: string[], underWay: Set<ServerResponse>): Promise<Door> {
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((request, response) => {
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    void read(request)
      .then((text) => {
        const performance = handle(askedOf(request, text))
        if (performance.act === 'never') underWay.delete(response)
        return perform(performance, response, (work) => timers.add(setTimeout(work, lateMs)))
      })
      .catch((error: unknown) => {
        // A request that was cut off on its way is incomplete, which is no fault of the service.
        if (!request.destroyed || request.complete) faults.push(error instanceof Error ? error.message : String(error))
        response.destroy()
      })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const timer of timers) clearTimeout(timer)
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function askedOf(request: IncomingMessage, text: string): Asked {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake')
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  return { method: request.method ?? '', path: pathname, query: searchParams, request, body, text }
}

type Later = (work: () => void) => void

/** Acts in place of the work. */
const instead: Partial<Record<Act, (response: ServerResponse) => void>> = {
  'cut-before': (response) => void response.destroy(),
  'error-not-done': (response) => send(response, { status: 503, body: { status: false, message: 'Try again later' } }),
  'forbidden-page': (response) => page(response, 403),
  'gateway-page': (response) => page(response, 502),
  'maintenance-page': (response) => page(response, 503),
  redirect: (response) => void response.writeHead(302, { location: '/maintenance' }).end(),
  'too-many': (response) => send(response, slowDown),
  'too-many-silent': (response) => void response.writeHead(429).end(),
}

const slowDown = { status: 429, headers: { 'x-ratelimit-reset': '2' }, body: { status: false, message: 'Slow down' } }

/** Acts after the work. */
const after: Partial<Record<Act, (response: ServerResponse, done: Answer, later: Later) => void>> = {
  late: (response, done, later) => later(() => send(response, done)),
  never: () => undefined,
  'cut-after': (response) => void response.destroy(),
  'error-done': (response) => send(response, { status: 500, body: { status: false, message: 'An error occurred' } }),
  half(response, done) {
    const whole = textOf(done.body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(whole.slice(0, whole.length / 2))
  },
  'wrong-length'(response, done) {
    const whole = textOf(done.body)
    const length = Buffer.byteLength(whole) + 10
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).write(whole)
    response.socket?.end()
  },
  page: (response) => page(response, 200),
  'missing-page': (response) => page(response, 404),
  twice(response, done) {
    const text = textOf(done.body)
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`
    response.socket?.write(`${head}\r\n\r\n${text}`.repeat(2))
  },
}

function perform({ act, work, spoil = {} }: ReturnType<Handler>, response: ServerResponse, later: Later): void {
  const [spoilt, withoutWork] = [spoil[act], instead[act]]
  if (spoilt !== undefined) return send(response, spoilt())
  if (withoutWork !== undefined) return withoutWork(response)
  const done = work()
  const withWork = after[act]
  if (withWork === undefined) send(response, done)
  else withWork(response, done, later)
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(textOf(body))
}

/** A body that is text already is sent as it is, because providers write numbers that JavaScript cannot hold. */
function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function page(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>We will be right back</h1></html>')
}
