// Calls a provider and separates its own answers from responses that prove nothing. The adapter interprets answers;
// silence, an error page or half a document proves nothing for every adapter alike. Also parses JSON without losing
// digits, and has helpers that read providers' notices.

import { createHmac } from 'node:crypto'
import type { z } from 'zod'
import { minuteMs, secondMs } from '#platform/durations.ts'
import type { Net, NetRequest } from '#platform/http-client/client.ts'
import type { Uuid } from '#platform/ids.ts'
import { constantTimeEqual } from '#platform/secrets.ts'
import type { Limiter } from './call-limits.ts'
import type { Unknown, InboundAnswer, InboundNotices, RailNotice } from './rail.ts'

export type ProviderRequest<Endpoint extends string> = {
  endpoint: Endpoint
  /** The tenant of the payment, because tenants take turns. Calls without a tenant take turns as one more tenant. */
  tenantId?: Uuid | undefined
  method: NetRequest['method']
  path: string
  body?: string | undefined
  headers?: Record<string, string>
  timeoutMs: number
  /**
   * How long a call that continues an operation waits for the rate limit. Such a call goes before calls that begin an
   * operation, so that many operations at once do not all stop half-way.
   */
  patienceMs?: number
  signal?: AbortSignal | undefined
  /** Called just before the first byte leaves; if it returns false, nothing is sent. */
  mayLeave?: (() => boolean) | undefined
}

/** A call as an adapter asks for it; the adapter adds authentication and timeout. */
export type ProviderQuestion<Endpoint extends string> = Pick<
  ProviderRequest<Endpoint>,
  'endpoint' | 'tenantId' | 'path' | 'patienceMs' | 'signal' | 'mayLeave'
> & {
  method: 'GET' | 'POST' | 'DELETE'
  body?: Record<string, unknown>
  timeoutMs?: number
}

/** If the answer is a list, it is in `rows`. */
export type ProviderResponse = { kind: 'answered'; status: number; body: Record<string, unknown> }

export type ProviderAnswer = ProviderResponse | Unknown

type ProviderOptions<Endpoint extends string> = {
  net: Net
  /** No slash at the end. */
  baseUrl: string
  limiter: Limiter<Endpoint>
  /** Returns true if a JSON object is the provider's own; a proxy or a maintenance page may send JSON as well. */
  isEnvelope: (body: Record<string, unknown>) => boolean
}

const answerBytesMax = 4 * 1024 * 1024
/** Used if the provider reports too many calls without a wait time. */
const restMsDefault = 10_000
/** The longest wait. A provider may ask for days by mistake, and a call that comes too early is only answered 429. */
const restMsMax = 10 * minuteMs

export function createProvider<Endpoint extends string>(options: ProviderOptions<Endpoint>) {
  const { net, baseUrl, limiter, isEnvelope } = options
  return async function call(what: ProviderRequest<Endpoint>): Promise<ProviderAnswer> {
    const askAgainAfterMs = await turnOf(limiter, what)
    if (askAgainAfterMs > 0) return { kind: 'unknown', detail: 'our own limit of calls', sent: false, askAgainAfterMs }
    const result = await net.request({
      url: baseUrl + what.path,
      method: what.method,
      headers: { accept: 'application/json', ...(what.body === undefined ? {} : jsonBody), ...what.headers },
      body: what.body,
      timeoutMs: what.timeoutMs,
      maxResponseBytes: answerBytesMax,
      allowLoopback: isLoopback(baseUrl),
      signal: what.signal,
      mayLeave: what.mayLeave,
    })
    if (result.kind === 'failed') {
      const detail = `${what.endpoint}: ${result.message}`
      return result.sent ? { kind: 'unknown', detail } : { kind: 'unknown', detail, sent: false }
    }
    const { status, headers, truncated } = result
    if (status === tooMany) {
      const ms = restMsOf(result.retryAfterSeconds, headers['x-ratelimit-reset'])
      limiter.hold(what.endpoint, ms)
      return { kind: 'unknown', detail: `${what.endpoint}: too many calls`, sent: false, askAgainAfterMs: ms }
    }
    const parsed = truncated ? undefined : parseExact(result.body.toString('utf8'))
    const body = Array.isArray(parsed) ? { rows: parsed as unknown[] } : parsed
    const isProvidersOwn = isObject(body) && isEnvelope(body) && status < 500 && status !== requestTimeout
    if (isProvidersOwn) return { kind: 'answered', status, body }
    return { kind: 'unknown', detail: `${what.endpoint}: answered ${status}, but not as the provider does` }
  }
}

/** Waits for the call's turn and resolves with 0, or resolves with the milliseconds after which to try again. */
async function turnOf<Endpoint extends string>(
  limiter: Limiter<Endpoint>,
  { endpoint, tenantId, patienceMs }: ProviderRequest<Endpoint>,
): Promise<number> {
  if (patienceMs === undefined) return limiter.takeTurn(endpoint, tenantId ?? 'none')
  const waitMs = limiter.take(endpoint, patienceMs)
  if (waitMs > patienceMs) return waitMs
  if (waitMs > 0) await new Promise((resolve) => void setTimeout(resolve, waitMs))
  return 0
}

const jsonBody = { 'content-type': 'application/json' }
const tooMany = 429
const requestTimeout = 408

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function restMsOf(retryAfterSeconds: number | undefined, reset: string | undefined): number {
  const seconds = retryAfterSeconds ?? (reset !== undefined && /^\d{1,5}$/.test(reset) ? Number(reset) : undefined)
  return seconds === undefined ? restMsDefault : Math.min(Math.max(1, seconds) * secondMs, restMsMax)
}

/** A provider on this machine is a fake for tests and rehearsals. */
export function isLoopback(baseUrl: string): boolean {
  return /^https?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?(\/|$)/.test(baseUrl)
}

/**
 * Parses JSON without losing digits: providers have ids beyond 2^53 and amounts with decimals, so a number that a
 * double would change or show differently is read as its text. U+FFFD replaces NUL, because PostgreSQL stores no NUL in
 * a text, and a payment whose answer has one could never be settled. Undefined if `text` is not JSON.
 */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, readValue)
  } catch {
    return undefined
  }
}

function readValue(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD')
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isSafeInteger(value) && String(value) === source ? value : source
}

export function jsonNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}

type NoticeReader<Body> = Pick<InboundNotices, 'provider' | 'verify'> & {
  body: z.ZodType<Body>
  interpret(body: Body): Promise<InboundAnswer>
}

export function createInboundNotices<Body>({ provider, verify, body, interpret }: NoticeReader<Body>): InboundNotices {
  return {
    provider,
    tellsOfPayments: true,
    verify,
    async read(rawBody) {
      const notice = body.safeParse(parseExact(rawBody.toString('utf8'))).data
      return notice === undefined ? { kind: 'unreadable' } : interpret(notice)
    },
  }
}

/** Paystack and Monnify sign the bytes of a notice with HMAC-SHA-512 and send the digest in hexadecimal. */
export function isSigned(rawBody: Buffer, secretKey: string, given: string | string[] | undefined): boolean {
  const expected = createHmac('sha512', secretKey).update(rawBody).digest('hex')
  return typeof given === 'string' && constantTimeEqual(Buffer.from(given), Buffer.from(expected))
}

export function noticeAnswer(notice: RailNotice): InboundAnswer {
  return { kind: 'notices', notices: [notice] }
}

export type RefundReport = Pick<Extract<RailNotice, { about: 'refund' }>, 'says'>

export type ReportedStatus = NonNullable<Extract<RailNotice, { about: 'payment' }>['says']>

/** A notice identifies a payment by the reference that we gave it. */
export function paymentNotice({ reference }: Record<string, unknown>, says: ReportedStatus): InboundAnswer {
  if (typeof reference !== 'string') return { kind: 'unreadable' }
  return noticeAnswer({ about: 'payment', railReference: reference, says })
}
