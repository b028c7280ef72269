// Sends requests, and retries where that is safe. ../../vectors/README.md states the rules.

import { ArgumentError, errorOf, kindOf, type Failure } from './errors.ts'
import { isFields, parseFields, type Fields } from './json.ts'
import type { FieldError } from './types.ts'

export const version = '0.1.0'

/** The clock that the SDK uses. Tests can pass their own. */
export type Clock = {
  /** In milliseconds. */
  now: () => number
  wait: (ms: number, signal?: AbortSignal) => Promise<void>
}

export type CallOptions = {
  /** Ends the call. If a write was sent, its outcome is then unclear. */
  signal?: AbortSignal | undefined
  /** Your own id of this request, for logs: 1 to 128 visible ASCII characters. The default is a UUID. */
  requestId?: string | undefined
  /** The limit of one attempt, for this call. */
  timeoutMs?: number | undefined
  /** The limit of all attempts and waits together, for this call. */
  totalTimeoutMs?: number | undefined
}

export type AnswerMeta = {
  requestId: string
  status: number
  /** The headers of the answer, for example `headers.get('x-ratelimit-remaining')`. */
  headers: Headers
  /** True if an earlier request with this reference took effect, and this is its answer (`Idempotent-Replayed: true`). */
  replayed: boolean
  /** True if the answer to the payment was lost, and this is the record, read by its reference. */
  recovered: boolean
  /** How often the request was sent, without the reads in between. */
  attempts: number
}

/** The data of an answer. `lastResponse` is not enumerable, so the data can be stored and compared without it. */
export type Answered<T> = T & { readonly lastResponse: AnswerMeta }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Ask = {
  method: Method
  path: readonly string[]
  query?: object | undefined
  body?: object | undefined
  /** Bulk: the service replays what it has accepted, so the same bytes may be sent again. */
  replays?: boolean
  /** A payment: it is read by its reference before it is sent again. */
  lookUp?: { path: readonly string[]; isSame: (record: Fields) => boolean }
}

export type TransportOptions = {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  totalTimeoutMs: number
  fetch: typeof fetch
  clock: Clock
}

/** The result of one attempt: the body with its data, or why there is none. */
type Outcome = { data: Fields; whole: Fields; status: number; headers: Headers } | Failure

export type Success = { data: Fields; whole: Fields; answer: AnswerMeta }

const attemptsMax = 4
const baseDelayMs = 1000
const delayMaxMs = 30_000

/** Returns the delay after attempt n, counted from 0. */
export function delayAfter(turn: number): number {
  return Math.min(baseDelayMs * 2 ** turn, delayMaxMs)
}

export type Transport = { send: (ask: Ask, options: CallOptions | undefined) => Promise<Success>; clock: Clock }

export function createTransport(settings: TransportOptions): Transport {
  const { clock } = settings
  return { clock, send: (ask, options = {}) => sendAll(settings, ask, options) }
}

async function sendAll(settings: TransportOptions, ask: Ask, options: CallOptions): Promise<Success> {
  const { clock } = settings
  const requestId = options.requestId ?? crypto.randomUUID()
  if (!/^[!-~]{1,128}$/.test(requestId)) throw new ArgumentError('A request id is 1 to 128 visible ASCII characters.')
  const deadline = clock.now() + (options.totalTimeoutMs ?? settings.totalTimeoutMs)
  const own = prepared(settings.baseUrl, ask)
  const read = ask.lookUp && prepared(settings.baseUrl, { method: 'GET', path: ask.lookUp.path })
  const attempt = (what: Prepared): Promise<Outcome> => sendOnce(settings, what, { ...options, requestId }, deadline)
  const isWrite = ask.method !== 'GET'
  const maySendAgain = !isWrite || ask.replays === true || ask.lookUp !== undefined
  let attempts = 0
  let unclear = false
  // The failure of the request itself, and the latest failure, which may be that of a read in between.
  let failure: Failure | undefined
  let last: Failure | undefined
  const giveUp = (why: Failure): never => {
    throw errorOf({ ...why, unclear })
  }
  const succeed = ({ data, whole, status, headers }: Exclude<Outcome, Failure>, recovered: boolean): Success => {
    const replayed = headers.get('idempotent-replayed') === 'true'
    const id = whole['requestId']
    const named = typeof id === 'string' ? id : requestId
    return { data, whole, answer: { requestId: named, status, headers, replayed, recovered, attempts } }
  }

  for (let turn = 0; ; turn += 1) {
    if (failure !== undefined && last !== undefined) {
      const waitMs = Math.max(delayAfter(turn - 1), (last.retryAfterSeconds ?? 0) * 1000)
      if (turn === attemptsMax || clock.now() + waitMs >= deadline) giveUp(failure)
      await clock.wait(waitMs, options.signal)
    }
    if (options.signal?.aborted === true) giveUp(aborted(requestId, options.signal))
    if (failure !== undefined && read !== undefined) {
      const found = await attempt(read)
      if ('data' in found) {
        if (ask.lookUp?.isSame(found.data) === true) return succeed(found, true)
        throw errorOf(anotherPayment(found))
      }
      last = found
      if (isUnclear(found)) continue
      if (found.kind !== 'not_found' && found.status !== 403) giveUp(failure)
    }
    attempts += 1
    const outcome = await attempt(own)
    if ('data' in outcome) return succeed(outcome, false)
    failure = outcome
    last = outcome
    unclear ||= isWrite && isUnclear(outcome)
    if (!isUnclear(outcome) || !maySendAgain || outcome.code === 'ABORTED') giveUp(outcome)
  }
}

function isUnclear({ kind }: Failure): boolean {
  return kind === 'server' || kind === 'timeout' || kind === 'connection' || kind === 'unreadable'
}

function anotherPayment({ data, whole, headers }: Exclude<Outcome, Failure>): Failure {
  const message = `The reference ${String(data['reference'])} belongs to another payment. Use a new reference.`
  return { kind: 'conflict', code: 'CONFLICT', status: 409, headers, message, requestId: String(whole['requestId']) }
}

type Named = CallOptions & { requestId: string }

/** A request as it is sent. It is made once, so that each attempt has the same bytes. */
type Prepared = { method: string; address: string; body: string | undefined }

function prepared(baseUrl: string, ask: Ask): Prepared {
  return { method: ask.method, address: addressOf(baseUrl, ask), body: ask.body && JSON.stringify(ask.body) }
}

async function sendOnce(
  settings: TransportOptions,
  { method, address, body }: Prepared,
  options: Named,
  deadline: number,
): Promise<Outcome> {
  const { requestId, signal } = options
  const ending = new AbortController()
  let isLate = false
  const limitMs = Math.min(options.timeoutMs ?? settings.timeoutMs, Math.max(1, deadline - settings.clock.now()))
  const timer = setTimeout(() => {
    isLate = true
    ending.abort()
  }, limitMs)
  const abort = (): void => ending.abort()
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  try {
    const response = await settings.fetch(address, {
      method,
      headers: headersOf(settings.apiKey, requestId, body !== undefined),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: ending.signal,
    })
    return outcomeOf(response, await response.text(), requestId)
  } catch (cause) {
    if (isLate) {
      return {
        kind: 'timeout',
        code: 'TIMEOUT',
        message: `No complete answer arrived within ${limitMs} ms.`,
        requestId,
        cause,
      }
    }
    if (signal?.aborted === true) return aborted(requestId, signal)
    const message = `The connection to ${settings.baseUrl} failed, or broke before the answer was complete.`
    return { kind: 'connection', code: 'CONNECTION_FAILED', message, requestId, cause }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function aborted(requestId: string, { reason }: AbortSignal): Failure {
  return { kind: 'connection', code: 'ABORTED', message: 'The caller ended the call.', requestId, cause: reason }
}

function headersOf(apiKey: string, requestId: string, hasBody: boolean): Record<string, string> {
  return {
    Accept: 'application/json',
    Authorization: `Bearer ${apiKey}`,
    'User-Agent': `manilla-typescript/${version}`,
    'X-Request-ID': requestId,
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  }
}

function addressOf(baseUrl: string, { path, query = {} }: Ask): string {
  const words = Object.entries(query).flatMap(([name, value]: [string, Date | string | number | null | undefined]) => {
    if (value === undefined || value === null) return []
    return `${name}=${encodeURIComponent(value instanceof Date ? value.toISOString() : value)}`
  })
  return `${baseUrl}/v1/${path.map(segmentOf).join('/')}${words.length === 0 ? '' : `?${words.join('&')}`}`
}

/** Throws for a dot segment, because `fetch` would resolve it in the path, even encoded. */
function segmentOf(text: string): string {
  if (typeof text !== 'string' || ['', '.', '..'].includes(text) || !isWellFormed(text)) {
    throw new ArgumentError(`${JSON.stringify(text)} cannot be a part of a path.`)
  }
  return encodeURIComponent(text)
}

/** Returns the decoded parts of `/v1/transfers/PAYOUT-1001`. They are encoded again, by the same rules as other paths. */
export function partsOfPath(path: string): string[] {
  try {
    if (path.startsWith('/v1/')) return path.slice(4).split('/').map(decodeURIComponent)
  } catch {
    // A % without two digits behind it, or bytes that are not UTF-8.
  }
  throw new ArgumentError(`A path is like /v1/transfers/PAYOUT-1001, not ${JSON.stringify(path)}.`)
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

function outcomeOf(response: Response, text: string, sentId: string): Outcome {
  const { status, headers } = response
  const body = parseFields(text)
  if (response.ok) {
    const data = body?.['data']
    if (body !== undefined && isFields(data)) return { data, whole: body, status, headers }
    const message = 'The answer is a success that cannot be read.'
    return { kind: 'unreadable', code: 'UNREADABLE_ANSWER', status, headers, message, requestId: sentId }
  }
  const error = isFields(body?.['error']) ? body['error'] : {}
  const code = typeof error['code'] === 'string' ? error['code'] : `HTTP_${status}`
  const message = typeof error['message'] === 'string' ? error['message'] : `The answer was ${status}.`
  const id = body?.['requestId']
  const details = Array.isArray(error['details']) ? (error['details'] as FieldError[]) : []
  const requestId = typeof id === 'string' ? id : (headers.get('x-request-id') ?? sentId)
  const retryAfter = headers.get('retry-after') ?? ''
  const retryAfterSeconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined
  return { kind: kindOf(status, code), code, status, headers, message, details, requestId, retryAfterSeconds }
}
