// A business's receiver, written from the specification of the signature alone.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export type Arrival = {
  headers: IncomingHttpHeaders
  rawBody: Buffer
  // The body's shape is what tests are about, so they reach into it freely.
  body: any // oxlint-disable-line typescript/no-explicit-any
  /** Whether it verified with a secret that the business knew at that moment. */
  genuine: boolean
}

export type Receiver = {
  url: string
  /** Those that the business has been told so far. */
  secrets: string[]
  arrivals: Arrival[]
  /** What it answers, one after the other; then 200. */
  answers: number[]
  /** While set, it answers when this is resolved. */
  held: Promise<void> | undefined
}

const oldestSeconds = 300

/** 1. read t and v1; 2. `<t>.<raw body>`; 3. HMAC-SHA256 with the secret; 4. compare; 5. refuse what is old. */
export function verify(header: unknown, rawBody: Buffer, secret: string, nowMs = Date.now()): boolean {
  const parts = String(header)
    .split(',')
    .map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  const age = nowMs / 1_000 - Number(t)
  if (t === '' || !(age <= oldestSeconds)) return false
  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest()
  return parts.some(([name, value = '']) => {
    const given = Buffer.from(value, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** For the top of a test file: open until the file ends. */
export async function useReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', secrets: [], arrivals: [], answers: [], held: undefined }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const rawBody = Buffer.concat(chunks)
      const header = request.headers['x-webhook-signature']
      const genuine = receiver.secrets.some((secret) => verify(header, rawBody, secret))
      receiver.arrivals.push({ headers: request.headers, rawBody, body: JSON.parse(rawBody.toString('utf8')), genuine })
      const status = receiver.answers.shift() ?? 200
      void Promise.resolve(receiver.held).then(() => response.writeHead(status).end(`said ${status}`))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}
