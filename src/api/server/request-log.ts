// Records each finished request in the metrics, in the log, and in the request log of its business
// (businesses/request-log.ts), which stores refused bodies masked. At level `info` every write of an authenticated caller
// and every refusal has a log line, so that an operator can follow a payment, a key or an unknown caller. Refusals that
// an attacker can multiply are limited to 20 lines a minute for each network.
//
// A busy service logs thousands of lines a second, so each line is built as a string, which takes 0.5 µs, and 0.5 µs
// more to write; the logger would take 6 µs.

import type { Clock } from '#platform/clock.ts'
import type { ReceivedSpan } from '#platform/context.ts'
import type { ErrorCode } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { hideSecrets, type Log } from '#platform/observability/log.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import type { Caller } from '#businesses/keyring.ts'
import { createQuotaCounter } from '#businesses/quota.ts'
import type { RequestFacts, RequestLog } from '#businesses/request-log.ts'
import type { Exchange, LoggedFault, SignedInPerson } from './exchange.ts'

/** The caller disconnected before its response. Used only in metrics and logs, as nginx does. */
export const hungUpStatus = 499

export type Recording = (exchange: Exchange) => void

type RecordingOptions = { clock: Clock; metrics: Metrics; log: Log; requestLog: Pick<RequestLog, 'note'> }

export function createRecording({ clock, metrics, log, requestLog }: RecordingOptions): Recording {
  const admits = createRefusalLimit((refusals) =>
    log.info({ refusals }, 'counted the refused requests of the last minute instead of logging each'),
  )
  return (exchange) => {
    const { route, response } = exchange
    const isKnown = exchange.caller !== undefined || exchange.person !== undefined
    const nowMs = clock.now()
    const tookMs = clock.monotonicMs() - exchange.startedMonotonicMs
    const durationMs = Math.round(tookMs)
    const status = response.headersSent ? response.statusCode : hungUpStatus
    metrics.httpRequests.inc({ route, status })
    metrics.httpSeconds.observe({ route }, tookMs / 1000)
    exchange.span?.end(spanOf(exchange, status))
    const { caller } = exchange
    if (caller !== undefined)
      requestLog.note(caller.tenant, status >= 400 || exchange.faults !== undefined, () =>
        factsOf(exchange, caller, { status, durationMs }),
      )
    const level = levelOf(exchange.method, status, isKnown)
    if (!log.isLevelEnabled(level)) return
    // Other refusals of a known caller need no limit here, because the caller's quota limits them.
    const limited = level === 'info' && status >= 400 && (!isKnown || status === 429 || status === 503)
    if (limited && !admits(networkOf(exchange.callerAddress), nowMs)) return
    log.line(lineOf(exchange, { level, status, durationMs, nowMs }))
  }
}

const agentLengthMax = 100

function factsOf(
  exchange: Exchange,
  { keyId }: Caller,
  { status, durationMs }: { status: number; durationMs: number },
): RequestFacts {
  const { requestId, method, route, reference, errorCode, callerAddress: address, request, sent, faults } = exchange
  const isRefused = status >= 400 && status < 500
  return {
    requestId: hideSecrets(requestId),
    keyId,
    method: method.slice(0, 10),
    route,
    reference: reference === undefined ? null : hideSecrets(reference).slice(0, 100),
    status,
    errorCode: errorCode ?? null,
    durationMs,
    address,
    agent: maskText(request.headers['user-agent'] ?? '', agentLengthMax),
    body: isRefused && sent !== undefined ? (maskBody(sent) ?? null) : null,
    faults: status < 500 && faults !== undefined ? maskFaults(faults, exchange) : null,
  }
}

function spanOf({ method, route }: Exchange, status: number): Parameters<ReceivedSpan['end']>[0] {
  const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
  return { name: `${method} ${route}`, attributes, failed: status >= 500 }
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

function levelOf(method: string, status: number, isKnown: boolean): 'warn' | 'info' | 'debug' {
  if (status >= 500 && status !== 503) return 'warn'
  const isWrite = isKnown && !reads.has(method)
  return isWrite || status >= 400 ? 'info' : 'debug'
}

type Ended = { level: string; status: number; durationMs: number; nowMs: number }

function lineOf(exchange: Exchange, { level, status, durationMs, nowMs }: Ended): string {
  const { requestId, method, route, errorCode, reference, callerAddress: address, response } = exchange
  const { caller, person } = exchange
  const who = caller !== undefined ? whoOf(caller) : person !== undefined ? personOf(person) : ''
  const code = errorCode === undefined ? '' : `,"code":"${errorCode}"`
  const about = reference === undefined ? '' : `,"reference":${textOf(reference)}`
  const left = response.writableFinished ? '' : ',"answered":false'
  return (
    `{"level":"${level}","time":"${isoTime(nowMs)}","requestId":${textOf(requestId)}${who},"method":"${method}",` +
    `"route":"${route}","status":${status}${code}${about},"address":"${address}","durationMs":${durationMs}${left},` +
    `"msg":"request"}\n`
  )
}

/** The log text of each caller object, built once. The keyring caches such an object for less than a second. */
const known = new WeakMap<Caller, string>()

function whoOf(caller: Caller): string {
  const text = known.get(caller)
  if (text !== undefined) return text
  const { businessId, tenant, keyId } = caller
  const made =
    `,"business":"${formatId('business', businessId)}","environment":"${tenant.environment}",` +
    `"key":"${formatId('key', keyId)}"`
  known.set(caller, made)
  return made
}

function personOf({ id, business, environment }: SignedInPerson): string {
  const of = business === undefined ? '' : `,"business":"${formatId('business', business)}"`
  const at = environment === undefined ? '' : `,"environment":"${environment}"`
  return `${of}${at},"person":"${formatId('person', id)}"`
}

const plainText = /^[A-Za-z0-9 .,:=_/+-]{0,128}$/

/** Text that a caller chose, as JSON and without secrets. */
function textOf(text: string): string {
  // Every secret of ours contains an underscore, and hardly any id or reference does.
  const shown = text.includes('_') ? hideSecrets(text) : text
  return plainText.test(shown) ? `"${shown}"` : JSON.stringify(shown)
}

let lastMs = 0
let lastTime = ''

function isoTime(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastMs = nowMs
    lastTime = new Date(nowMs).toISOString()
  }
  return lastTime
}

const linesPerNetwork = 20
/** Networks beyond this number share the lines of one network. */
const networksMax = 1_000

/**
 * Returns a function that decides whether a refusal is logged. `tell` gets the number of suppressed lines at the first
 * refusal of a later minute.
 */
function createRefusalLimit(tell: (refusals: number) => void): (network: string, nowMs: number) => boolean {
  const lines = createQuotaCounter({ limit: linesPerNetwork, bucketsMax: networksMax })
  let endsAtSeconds = 0
  let suppressed = 0
  return (network, nowMs) => {
    const { exceeded, resetAtSeconds } = lines.take(network, nowMs)
    if (resetAtSeconds !== endsAtSeconds) {
      if (suppressed > 0) tell(suppressed)
      endsAtSeconds = resetAtSeconds
      suppressed = 0
    }
    if (exceeded) suppressed += 1
    return !exceeded
  }
}

// The stored form of the body of a refused request: its shape, and the values of fields that cannot be personal or
// secret. Of all other values it shows only the kind and the length. `shownFields` lists what is shown, so that a new or
// misspelled field is masked.

const shownFields = new Set(
  `amount amountPolicy bankSlug bankCode country currency events expiresInMinutes operator status transfers type`.split(
    /\s+/,
  ),
)

const itemsMax = 3
const fieldsMax = 30
const textMax = 60
const depthMax = 4
const bodyMax = 2_048
/** Parsing a larger body would delay other requests. */
const sentMax = 64 * 1024

/** Returns undefined if the body is neither a JSON object nor an array, or is larger than 64 KiB. */
export function maskBody(sent: Buffer): string | undefined {
  if (sent.length > sentMax) return undefined
  const parsed = parse(sent)
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const text = JSON.stringify(maskValue(parsed, true, 0))
  return text.length <= bodyMax ? text : JSON.stringify({ '…': `${sent.length} bytes` })
}

function parse(sent: Buffer): unknown {
  try {
    return JSON.parse(sent.toString('utf8'))
  } catch {
    return undefined
  }
}

function maskValue(value: unknown, isShown: boolean, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return isShown ? numberOf(value) : '[number]'
  if (typeof value === 'string') return isShown ? maskText(value) : `[text of ${value.length} characters]`
  if (!isShown || depth >= depthMax) return Array.isArray(value) ? '[list]' : '[object]'
  return Array.isArray(value) ? maskList(value, depth) : maskObject(value as object, depth)
}

function maskList(list: unknown[], depth: number): unknown[] {
  const items = list.slice(0, itemsMax).map((item) => maskValue(item, true, depth + 1))
  return list.length > itemsMax ? [...items, `[${list.length - itemsMax} more]`] : items
}

function maskObject(fields: object, depth: number): Record<string, unknown> {
  const pairs = Object.entries(fields)
    .slice(0, fieldsMax)
    .map(([name, value]) => [maskName(name), maskValue(value, shownFields.has(name), depth + 1)] as const)
  return Object.fromEntries(pairs)
}

/** The name of a field may itself be personal data, so only a plain word is shown. */
function maskName(name: string): string {
  return /^[A-Za-z_]{1,40}$/.test(name) ? name : `[name of ${name.length} characters]`
}

/** A number of ten or more digits could be an account number, so only its number of digits is shown. */
function numberOf(value: number): number | string {
  return Math.abs(value) < 1e9 ? value : `[number of ${String(Math.trunc(Math.abs(value))).length} digits]`
}

const longNumbers = /\d[\d ]{4,}\d/g
/** The first alternative matches a time as a whole, so that its digits are not masked as figures. */
const timesAndFigures = /\d{4}-\d\d-\d\dT[\d:.]+Z|\d+/g
const hidesFiguresOf = new Set<ErrorCode | undefined>(['INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED'])

const faultsMax = 20
const faultTextMax = 200
const faultsLengthMax = 2_048

/** The first of the wrong fields with their messages, as JSON without the caller's values. */
export function maskFaults(
  faults: readonly LoggedFault[],
  { errorCode, sent, rawQuery }: Pick<Exchange, 'errorCode' | 'sent' | 'rawQuery'>,
): string {
  const shown = faults.slice(0, faultsMax).map(({ field, message, errorCode: ofItem }) => {
    // The messages of these errors state the balance or the rest of the daily limit, which not every reader of the log
    // may see.
    const hidesFigures = hidesFiguresOf.has(ofItem ?? errorCode)
    const isHidden = (digits: string): boolean =>
      (hidesFigures && !digits.includes('T')) || sent?.includes(digits) === true || rawQuery.includes(digits)
    const name = field.split('.').map(maskPart).join('.').slice(0, faultTextMax)
    const reason = message.startsWith(field) ? name + message.slice(field.length) : message
    const said = hideSecrets(reason).replaceAll(hidesFigures ? timesAndFigures : longNumbers, (digits) =>
      isHidden(digits) ? '[digits]' : digits,
    )
    const shownCode = ofItem === undefined ? {} : { errorCode: ofItem }
    return { field: name, message: said.slice(0, faultTextMax), ...shownCode }
  })
  for (;;) {
    const more = faults.length - shown.length
    const text = JSON.stringify(more === 0 ? shown : [...shown, { field: '…', message: `${more} more` }])
    if (text.length <= faultsLengthMax) return text
    shown.pop()
  }
}

/** Part of the path to a field: a name, or the number of an item. Callers choose the names in metadata. */
function maskPart(part: string, index: number, parts: readonly string[]): string {
  if (parts[index - 1] === 'metadata') return `[name of ${part.length} characters]`
  return /^\d{1,5}$/.test(part) ? part : maskName(part)
}

/** Text that a caller chose, cut off and without secrets and long numbers. */
export function maskText(text: string, max = textMax): string {
  return hideSecrets(text).replaceAll(longNumbers, '[digits]').slice(0, max)
}
