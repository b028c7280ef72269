// Calls a provider and separates its own answers from responses that prove nothing. The adapter interprets answers;
// silence, an error page or half a document proves nothing for every adapter alike.

import type { Clock } from '#platform/clock.ts'
import type { Net, NetRequest } from '#platform/http-client/client.ts'
import type { Unknown } from './rail.ts'

export type ProviderRequest<Endpoint extends string> = {
  /** The endpoint whose limit counts the call. */
  endpoint: Endpoint
  method: NetRequest['method']
  path: string
  body?: string | undefined
  headers?: Record<string, string>
  timeoutMs: number
  /**
   * How long a call waits for its turn within the limit. Only calls that continue an operation wait: they go before
   * calls that begin one, so that many at once do not all stop half-way.
   */
  patienceMs?: number
  signal?: AbortSignal | undefined
  /** Called just before the first byte leaves; if it returns false, nothing is sent. */
  mayLeave?: (() => boolean) | undefined
}

/** A call as an adapter asks for it; the adapter adds authentication and timeout. */
export type ProviderQuestion<Endpoint extends string> = Pick<
  ProviderRequest<Endpoint>,
  'endpoint' | 'path' | 'patienceMs' | 'signal' | 'mayLeave'
> & {
  method: 'GET' | 'POST' | 'DELETE'
  body?: Record<string, unknown>
  timeoutMs?: number
}

/** An answer that is a list stands in `rows`. */
export type ProviderResponse = { kind: 'word'; status: number; body: Record<string, unknown> }

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

export function createProvider<Endpoint extends string>(options: ProviderOptions<Endpoint>) {
  const { net, baseUrl, limiter, isEnvelope } = options
  return async function call(what: ProviderRequest<Endpoint>): Promise<ProviderAnswer> {
    const { patienceMs = 0 } = what
    const waitMs = limiter.take(what.endpoint, patienceMs)
    if (waitMs > patienceMs)
      return { kind: 'unknown', detail: 'our own limit of calls', sent: false, askAgainAfterMs: waitMs }
    if (waitMs > 0) await new Promise((resolve) => void setTimeout(resolve, waitMs))
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
    const isWord = isObject(body) && isEnvelope(body) && status < 500 && status !== requestTimeout
    if (isWord) return { kind: 'word', status, body }
    return { kind: 'unknown', detail: `${what.endpoint}: answered ${status} without a word of the provider` }
  }
}

const jsonBody = { 'content-type': 'application/json' }
const tooMany = 429
const requestTimeout = 408

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function restMsOf(retryAfterSeconds: number | undefined, reset: string | undefined): number {
  const seconds = retryAfterSeconds ?? (reset !== undefined && /^\d{1,5}$/.test(reset) ? Number(reset) : undefined)
  return seconds === undefined ? restMsDefault : Math.max(1, seconds) * 1_000
}

/** A provider on this machine is a fake for tests and rehearsals. */
export function isLoopback(baseUrl: string): boolean {
  return /^https?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?(\/|$)/.test(baseUrl)
}

/**
 * Parses JSON without losing digits: providers have ids beyond 2^53 and amounts with decimals, so a number that a
 * double would change or show differently is read as its text. Undefined if it is not JSON.
 */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isSafeInteger(value) && String(value) === source ? value : source
}

/** Writes an amount as a JSON number with exactly these digits. */
export function jsonNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)
}

// Rate limits for a provider's endpoints: a token bucket for each. A caller that finds it empty gets the wait time,
// and makes no call unless it can wait for so long. Buckets use the monotonic clock, so that a clock that is set back
// blocks no endpoint.

export type Rate = { calls: number; perMs: number }

type Limiter<Endpoint extends string> = {
  /**
   * Returns the milliseconds until the call fits: 0 if it may go ahead. Counts it if that is at most `patienceMs`; the
   * caller then makes the call after that time.
   */
  take(endpoint: Endpoint, patienceMs?: number): number
  /** The provider reported too many calls: blocks the endpoint for this long. */
  hold(endpoint: Endpoint, ms: number): void
}

/**
 * Shares of a provider's limit for all processes together: a steady rate, and a burst after a pause. Their sum is the
 * most that any period can contain. The remaining fifth is for processes that the others do not know yet
 * (processes.ts), for commands, and for other users of the account.
 */
const steadyPart = 0.6
const atOncePart = 0.2

type Bucket = { left: number; atMs: number; heldUntilMs: number }

/** `share`: this process's current share. */
export function createLimiter<Endpoint extends string>(
  rates: Record<Endpoint, Rate>,
  clock: Pick<Clock, 'monotonicMs'>,
  share: () => number = () => 1,
): Limiter<Endpoint> {
  const buckets = new Map<Endpoint, Bucket>()

  function bucketOf(endpoint: Endpoint): Bucket {
    // A process with a burst of less than one call would never make any.
    const most = Math.max(1, rates[endpoint].calls * atOncePart * share())
    const nowMs = clock.monotonicMs()
    const bucket = buckets.get(endpoint) ?? { left: most, atMs: nowMs, heldUntilMs: 0 }
    const grownMs = Math.max(0, nowMs - bucket.atMs)
    bucket.left = Math.min(most, bucket.left + grownMs / msPerCall(endpoint))
    bucket.atMs = nowMs
    buckets.set(endpoint, bucket)
    return bucket
  }

  function msPerCall(endpoint: Endpoint): number {
    const { calls, perMs } = rates[endpoint]
    return perMs / (calls * steadyPart * share())
  }

  return {
    take(endpoint, patienceMs = 0) {
      const bucket = bucketOf(endpoint)
      const heldMs = bucket.heldUntilMs - clock.monotonicMs()
      const waitMs = Math.ceil(Math.max(0, heldMs, (1 - bucket.left) * msPerCall(endpoint)))
      if (waitMs <= patienceMs) bucket.left -= 1
      return waitMs
    },
    hold(endpoint, ms) {
      bucketOf(endpoint).heldUntilMs = clock.monotonicMs() + ms
    },
  }
}
