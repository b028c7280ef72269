// Verifies deliveries of webhooks, and answers them in common frameworks.

import { parseFields } from './json.ts'
import type { WebhookEvent } from './types.ts'

export type WebhookFault = 'missing_header' | 'malformed_header' | 'no_match' | 'too_old' | 'unreadable'

const sentences: Record<WebhookFault, string> = {
  missing_header: 'There is no X-Webhook-Signature header.',
  malformed_header: 'The X-Webhook-Signature header has no t or no v1.',
  no_match: 'No signature matches. Pass the bytes that arrived as the body, and the secret of this subscription.',
  too_old: 'The signature is too old. Does the clock of this machine follow a time server?',
  unreadable: 'The signature is valid, but the body is not an event.',
}

/** The delivery is not genuine, or too old. Answer 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookFault

  constructor(reason: WebhookFault) {
    super(sentences[reason])
    this.reason = reason
  }
}

export type VerifyOptions = {
  /** The maximum age of a signature, in seconds. The default is 300. */
  tolerance?: number | undefined
  now?: Date | undefined
}

export type RawBody = string | Uint8Array<ArrayBuffer> | ArrayBuffer

/**
 * Returns the event of a delivery, or throws a `WebhookVerificationError`. `rawBody` must be the bytes that arrived, because
 * a body that is parsed and written again may differ. While a secret is being replaced, pass both. An event that this
 * version does not know is returned unchanged: ignore it in the `default` of a `switch`.
 */
export async function verifyWebhook(
  rawBody: RawBody,
  header: string | null | undefined,
  secrets: string | readonly string[],
  { tolerance = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = typeof secrets === 'string' ? [secrets] : secrets
  if (keys.length === 0 || keys.includes('')) throw new TypeError('A webhook secret is empty.')
  const { t, given } = parseHeader(header)
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody)
  const signed = new TextEncoder().encode(`${t}.`)
  const message = new Uint8Array(signed.length + body.length)
  message.set(signed)
  message.set(body, signed.length)
  let agrees = false
  // Tries all keys, so that the duration does not show which one matches.
  for (const key of keys) for (const one of given) agrees = (await isSignature(one, message, key)) || agrees
  if (!agrees) throw new WebhookVerificationError('no_match')
  if (now.getTime() / 1000 - Number(t) > tolerance) throw new WebhookVerificationError('too_old')
  return eventOf(body)
}

function parseHeader(header: string | null | undefined): { t: string; given: string[] } {
  if (header === null || header === undefined || header === '') throw new WebhookVerificationError('missing_header')
  const valuesOf = (name: string): string[] =>
    header.split(',').flatMap((part) => {
      const [key, ...value] = part.trim().split('=')
      return key === name ? [value.join('=')] : []
    })
  const [t = '', ...others] = valuesOf('t')
  const given = valuesOf('v1')
  if (/^\d{1,12}$/.test(t) && others.length === 0 && given.length > 0) return { t, given }
  throw new WebhookVerificationError('malformed_header')
}

/** Compares in constant time, which `crypto.subtle.verify` does for an HMAC. */
async function isSignature(hex: string, message: Uint8Array<ArrayBuffer>, secret: string): Promise<boolean> {
  if (!/^[\da-f]{64}$/.test(hex)) return false
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify'])
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return crypto.subtle.verify('HMAC', key, signature, message)
}

function eventOf(body: Uint8Array): WebhookEvent {
  const event = parseFields(textOf(body))
  if (typeof event?.['event'] === 'string' && typeof event['id'] === 'string') return event as WebhookEvent
  throw new WebhookVerificationError('unreadable')
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return ''
  }
}

export type ReceiverOptions = VerifyOptions & {
  secret: string | readonly string[]
  /**
   * Stores the event; do the work for it afterwards. An event may arrive again: do nothing for an `id` that you have. After
   * an error the answer is 500, and the service sends the event again.
   */
  onEvent: (event: WebhookEvent) => unknown
}

/**
 * Answers 200 when `onEvent` has handled the event, and 400 when the signature is wrong or the body too large (undefined).
 * Errors of `onEvent` go to the caller.
 */
async function receive(
  rawBody: RawBody | undefined,
  header: string | null | undefined,
  options: ReceiverOptions,
): Promise<200 | 400> {
  if (rawBody === undefined) return 400
  try {
    const event = await verifyWebhook(rawBody, header, options.secret, options)
    await options.onEvent(event)
    return 200
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 400
    throw error
  }
}

/** Far more than the service sends. Anyone can send a body, and it is in memory before its signature can be checked. */
const bodyBytesMax = 1_048_576

/** Undefined if it is larger than `bodyBytesMax`; the rest is then not read. */
async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<ArrayBuffer | undefined> {
  const kept: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    kept.push(new Uint8Array(chunk))
  }
  return new Blob(kept).arrayBuffer()
}

/** Not every runtime can iterate over a stream itself. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

const signatureHeader = 'x-webhook-signature'

/** For a Next route handler, a worker, Deno or Bun: `export const POST = webhookHandler({ secret, onEvent })`. */
export function webhookHandler(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.bodyUsed) throw new TypeError('The body was read before: put the webhook before what parses bodies.')
    const body = request.body === null ? '' : await bytesOf(chunksOf(request.body))
    return new Response(null, { status: await receive(body, request.headers.get(signatureHeader), options) })
  }
}

/** For Hono: `app.post('/webhooks', honoWebhook({ secret, onEvent }))`. */
export function honoWebhook(options: ReceiverOptions): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = webhookHandler(options)
  return ({ req }) => handle(req.raw)
}

type NodeHeaders = Record<string, string | string[] | undefined>
type ExpressRequest = AsyncIterable<Uint8Array> & { headers: NodeHeaders; body?: unknown; readableEnded?: boolean }
type ExpressResponse = { status: (code: number) => { end: () => unknown } }

/** For Express, with no body parser or with `express.raw`: `app.post('/webhooks', expressWebhook({ secret, onEvent }))`. */
export function expressWebhook(
  options: ReceiverOptions,
): (request: ExpressRequest, response: ExpressResponse, next: (error: unknown) => unknown) => Promise<void> {
  return async (request, response, next) => {
    try {
      const status = await receive(await nodeBody(request), headerOf(request.headers), options)
      response.status(status).end()
    } catch (error) {
      next(error)
    }
  }
}

type NodeResponse = { writeHead: (status: number) => { end: () => unknown } }

/**
 * For the HTTP server of Node: `createServer(nodeWebhook({ secret, onEvent }))`. It prints errors of `onEvent` to the console
 * and answers 500.
 */
export function nodeWebhook(
  options: ReceiverOptions,
): (request: ExpressRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    let status = 500
    try {
      status = await receive(await nodeBody(request), headerOf(request.headers), options)
    } catch (error) {
      // oxlint-disable-next-line no-console -- there is no framework that could take the error
      console.error(error)
    }
    response.writeHead(status).end()
  }
}

async function nodeBody(request: ExpressRequest): Promise<RawBody | undefined> {
  const { body } = request
  if (body instanceof Uint8Array) return new Uint8Array(body)
  if (typeof body === 'string') return body
  if (request.readableEnded === true) {
    throw new TypeError(
      'The body was parsed before: put the webhook before express.json(), or use express.raw() for it.',
    )
  }
  return bytesOf(request)
}

function headerOf(headers: NodeHeaders): string | undefined {
  const value = headers[signatureHeader]
  return Array.isArray(value) ? value.join(',') : value
}

type FastifyScope = {
  addContentTypeParser: (
    type: string,
    options: { parseAs: 'buffer' },
    parse: (request: unknown, body: unknown, done: (error: null, body: unknown) => void) => void,
  ) => unknown
  removeContentTypeParser?: (type: string) => unknown
  post: (path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) => unknown
}
type FastifyRequest = { headers: NodeHeaders; body: unknown }
type FastifyReply = { code: (status: number) => { send: () => unknown } }

/**
 * For Fastify, as a plugin: `app.register(fastifyWebhook('/webhooks', { secret, onEvent }))`. Its body parser applies only to
 * its own route.
 */
export function fastifyWebhook(path: string, options: ReceiverOptions): (scope: FastifyScope) => Promise<void> {
  return (scope) => {
    scope.removeContentTypeParser?.('application/json')
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post(path, async ({ headers, body }, reply) =>
      reply.code(await receive(new Uint8Array(body as Uint8Array), headerOf(headers), options)).send(),
    )
    return Promise.resolve()
  }
}
