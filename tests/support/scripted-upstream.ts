// A bank's server, as unreliable as such servers get: a real HTTP server on a free port that behaves as a test tells
// it. Whatever it answers, it records which payments arrived and how each ended.

import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { unreachable } from '#platform/assert.ts'

/** How a payment that arrived ends. */
type Fate =
  | 'paid'
  | 'refused'
  /** Refused with code 91, by which a bank may also mean that it does not know the outcome. */
  | 'bank-down'
  | 'open'
  /** Paid, then sent back by the receiving bank. */
  | 'returned'

type SubmitAct =
  | 'answer'
  /** Does the work; answers after `lateMs`. */
  | 'late'
  /** Does the work and never answers. */
  | 'never'
  /** Does the work and answers twice on the same connection. */
  | 'twice'
  | 'garbage'
  | 'error-page'
  /** Does the work and answers 500. */
  | 'error-but-done'
  /** Does nothing and answers 503. */
  | 'error-not-done'
  /** Cuts the connection before it reads the order; does nothing. */
  | 'reset-before'
  /** Does the work, then cuts the connection. */
  | 'reset-after'
  /** Does the work and answers that the reference is taken. */
  | 'duplicate'
  | 'odd-word'
  /** Does the work and answers that a different payment is paid. */
  | 'other-payment'
  /** Does the work and answers that the receiving bank is down. */
  | 'down-but-done'

type StatusAct =
  | 'answer'
  | 'never'
  | 'reset'
  | 'garbage'
  | 'error'
  /** Does not show the payment, although it is there. */
  | 'missing'
  /** A 404 from a proxy on the way, which knows nothing of payments. */
  | 'missing-page'
  | 'odd-word'

export type Script = { fate?: Fate; submit?: SubmitAct[]; status?: StatusAct[] }

type UpstreamPayment = { reference: string; amount: string; accountNumber: string; looks: number }

export type Upstream = {
  url: string
  /** Scripts payments to this account. The acts are used up one by one; later calls are answered normally. */
  script(accountNumber: string, script: Script): void
  /** The payments that arrived and were carried out, oldest first. */
  paymentsTo(accountNumber: string): UpstreamPayment[]
  /** A notice of money that came in, signed as this bank signs. */
  notice(body: string): { headers: Record<string, string>; rawBody: Buffer }
  close(): Promise<void>
}

export const upstreamSecret = 'UPSTREAM_TEST_SECRET'
const codes: Record<Fate, string> = { paid: '00', refused: '06', 'bank-down': '91', open: '09', returned: '00' }

export async function startScriptedUpstream({ lateMs }: { lateMs: number }): Promise<Upstream> {
  const books: Books = { scripts: new Map(), payments: new Map() }
  const timers = new Set<NodeJS.Timeout>()
  const later = (work: () => void): void => void timers.add(setTimeout(work, lateMs))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream')
    const [, noun, id = ''] = pathname.split('/')
    if (noun === 'payments') status(books, id, response)
    else if (noun === 'names') resolveName(searchParams.get('accountNumber') ?? '', response)
    else void submit(books, id, request, response, later).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script: (accountNumber, { fate = 'paid', submit: submits = [], status: statuses = [] }) =>
      void books.scripts.set(accountNumber, { fate, submit: [...submits], status: [...statuses] }),
    paymentsTo: (accountNumber) =>
      [...books.payments.values()].filter((payment) => payment.accountNumber === accountNumber),
    notice(body) {
      const rawBody = Buffer.from(body)
      const signature = createHmac('sha512', upstreamSecret).update(rawBody).digest('hex')
      return { headers: { 'bank-signature': signature }, rawBody }
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

type Books = { scripts: Map<string, Required<Script>>; payments: Map<string, UpstreamPayment> }

function scriptOf(books: Books, accountNumber: string): Required<Script> {
  return books.scripts.get(accountNumber) ?? { fate: 'paid', submit: [], status: [] }
}

async function submit(
  books: Books,
  accountNumber: string,
  request: IncomingMessage,
  response: ServerResponse,
  later: (work: () => void) => void,
): Promise<void> {
  const { fate, submit: acts } = scriptOf(books, accountNumber)
  const act = acts.shift() ?? 'answer'
  if (act === 'reset-before') return void request.socket.destroy()
  const { reference = '', amount = '' } = await readJson(request)
  if (act === 'error-not-done') return json(response, 503, { error: 'TRY_LATER' })
  const known = books.payments.get(reference)
  const payment = known ?? { reference, amount, accountNumber, looks: 0 }
  books.payments.set(reference, payment)
  const view = viewOf(payment, fate)
  switch (act) {
    case 'answer':
      return known === undefined ? json(response, 200, view) : json(response, 409, { error: 'DUPLICATE_REFERENCE' })
    case 'late':
      return later(() => json(response, 200, view))
    case 'never':
      return
    case 'twice':
      return twice(response, JSON.stringify(view))
    case 'error-but-done':
      return json(response, 500, { error: 'INTERNAL' })
    case 'reset-after':
      return void request.socket.destroy()
    case 'duplicate':
      return json(response, 409, { error: 'DUPLICATE_REFERENCE' })
    case 'other-payment':
      return json(response, 200, { ...viewOf(payment, 'paid'), reference: 'somebody-elses-payment' })
    case 'down-but-done':
      return json(response, 200, viewOf(payment, 'bank-down'))
    case 'garbage':
      return garbage(response)
    case 'error-page':
      return page(response, 200)
    case 'odd-word':
      return json(response, 200, { ...view, status: 'PARKED' })
    default:
      return unreachable(act)
  }
}

function status(books: Books, reference: string, response: ServerResponse): void {
  const payment = books.payments.get(reference)
  const { fate, status: acts } = scriptOf(books, payment?.accountNumber ?? '')
  const act = acts.shift() ?? 'answer'
  if (payment === undefined) return json(response, 404, { error: 'PAYMENT_NOT_FOUND' })
  switch (act) {
    case 'answer':
      payment.looks++
      return json(response, 200, viewOf(payment, fate))
    case 'never':
      return
    case 'reset':
      return void response.socket?.destroy()
    case 'garbage':
      return garbage(response)
    case 'error':
      return json(response, 500, { error: 'INTERNAL' })
    case 'missing':
      return json(response, 404, { error: 'PAYMENT_NOT_FOUND' })
    case 'missing-page':
      return page(response, 404)
    case 'odd-word':
      return json(response, 200, { ...viewOf(payment, fate), status: 'PARKED' })
    default:
      return unreachable(act)
  }
}

/** Money returns only after a question has seen it paid once. */
function viewOf(payment: UpstreamPayment, fate: Fate): Record<string, unknown> {
  const returned = fate === 'returned' && payment.looks > 1
  const words: Record<Fate, string> = {
    paid: 'PAID',
    refused: 'REFUSED',
    'bank-down': 'REFUSED',
    open: 'PROCESSING',
    returned: returned ? 'RETURNED' : 'PAID',
  }
  const { reference, amount } = payment
  const sessionId = fate === 'paid' || fate === 'returned' ? '999998260115103000000000000001' : null
  return { reference, amount, status: words[fate], responseCode: codes[fate], sessionId }
}

function garbage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"PA')
}

function resolveName(accountNumber: string, response: ServerResponse): void {
  const answers: Record<string, () => void> = {
    '0000000404': () => json(response, 422, { error: 'ACCOUNT_NOT_FOUND' }),
    '0000000500': () => json(response, 500, { error: 'INTERNAL' }),
    '0000000600': () => page(response, 404),
    '0000000700': () => void response.writeHead(200).end('null'),
    '0000000999': () => undefined,
  }
  const answer = answers[accountNumber] ?? (() => json(response, 200, { accountName: 'OKAFOR NGOZI' }))
  answer()
}

function json(response: ServerResponse, httpStatus: number, body: unknown): void {
  response.writeHead(httpStatus, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function page(response: ServerResponse, httpStatus: number): void {
  response.writeHead(httpStatus, { 'content-type': 'text/html' }).end('<html><body>Bad day</body></html>')
}

/** Two whole answers, the second of which belongs to no request. */
function twice(response: ServerResponse, body: string): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
  response.socket?.write(head + body + head + body)
}

async function readJson(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>
}
