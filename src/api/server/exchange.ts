// Defines one request and its response, which the pipeline fills in step by step.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import type { Caller } from '#businesses/keyring.ts'
import type { Quota } from '#businesses/quota.ts'
import type { Entrance } from '#config.ts'
import type { Clock } from '#platform/clock.ts'
import type { Environment, ReceivedSpan } from '#platform/context.ts'
import type { ErrorCode, FieldError } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import type { CallerAddress } from './caller-address.ts'

type Framing = {
  /**
   * True if the connection closes after this request, because a proxy in front may see the end of the request elsewhere
   * than we do. The bytes that we would read as the next request could then come from another caller.
   */
  isLast: boolean
  /** The error message if the request is refused because of its framing. */
  fault: string | undefined
}

const certain: Framing = { isLast: false, fault: undefined }

function framingOf({ headers, httpVersion, rawHeaders }: IncomingMessage): Framing {
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return { isLast: true, fault: 'There is more than one Host header.' }
  if (httpVersion !== '1.0') return hosts === 1 ? certain : { isLast: true, fault: 'The Host header is missing.' }
  return headers['transfer-encoding'] === undefined ? certain : { isLast: true, fault: undefined }
}

/** Counts the Host headers among the raw headers, because Node keeps the first one and silently drops the others. */
function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** Returns the caller's own correlation id if it is usable, else a new one. It never throws. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && visibleAscii.test(header) ? header : randomUUID()
}

export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** The start on the monotonic clock, with which the duration of the request is measured. */
  startedMonotonicMs: number
  /** The caller's IP address: as a proxy of TRUSTED_PROXIES reports it, or else the address of the connection. */
  callerAddress: string
  method: string
  /** The environment whose prefix the path begins with; undefined if the path begins with no such prefix. */
  entrance: Entrance | undefined
  /** The path after the prefix of the environment, or the whole path if it has no such prefix. */
  path: string
  rawQuery: string
  framing: Framing
  /** Malformed percent-encoding or a NUL in the path or query; reported when the fields are validated. */
  badAddress: FieldError | undefined
  caller: Caller | undefined
  /** The user who is signed in to the dashboard, with the business and environment that they view. */
  person: SignedInPerson | undefined
  /** True if the caller's key may not be used from this address. */
  isOutside: boolean
  /** The quota that the response reports; undefined until the request was counted or exempted. */
  quota: Quota | undefined
  /** True if a page of any website may read the response. */
  forAnyOrigin: boolean
  /** Security headers for browsers, set by the dashboard. */
  guards: readonly string[]
  /** The route's pattern, for metrics and the log. It never contains text that a caller sent. */
  route: string
  /** The reference that the request is about, for the log; `errorCode` is the code of its error response. */
  reference: string | undefined
  errorCode: ErrorCode | undefined
  /** The wrong fields of the request, or of the refused items of a bulk request, for the request log. */
  faults: LoggedFault[] | undefined
  /** The raw body, for the request log, which stores a refused body in masked form. */
  sent: Buffer | undefined
  span: ReceivedSpan | undefined
}

/** `errorCode` is set for an item of a bulk request, which has an error of its own. */
export type LoggedFault = FieldError & { errorCode?: ErrorCode }

/** The user as the log names them: only by ids. */
export type SignedInPerson = { id: Uuid; business?: Uuid; environment?: Environment }

/** A page that needs no key. */
export type Page = {
  path: string
  /** True if requests do not count against a quota, so that a load balancer is never refused. */
  free?: boolean
  /**
   * True if the page is served only outside the environments' prefixes, because a proxy may expose everything below
   * them.
   */
  atRoot?: boolean
  respond: (exchange: Exchange) => Promise<void> | void
}

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { entrances, callerAddress, clock }: { entrances: Entrance[]; callerAddress: CallerAddress; clock: Clock },
): Exchange {
  const url = originForm(request.url ?? '/')
  const queryAt = url.indexOf('?')
  const rawPath = queryAt === -1 ? url : url.slice(0, queryAt)
  const rawQuery = queryAt === -1 ? '' : url.slice(queryAt + 1)
  const entrance = entranceOf(rawPath, request, entrances)
  const path = entrance === undefined ? rawPath : rawPath.slice(entrance.prefix.length)
  return {
    request,
    response,
    requestId: requestIdOf(request.headers['x-request-id']),
    startedMonotonicMs: clock.monotonicMs(),
    callerAddress: callerAddress(request),
    method: request.method ?? 'GET',
    entrance,
    path,
    rawQuery,
    framing: framingOf(request),
    badAddress: addressFault(path, rawQuery),
    caller: undefined,
    person: undefined,
    isOutside: false,
    quota: undefined,
    forAnyOrigin: true,
    guards: [],
    route: 'none',
    reference: undefined,
    errorCode: undefined,
    faults: undefined,
    sent: undefined,
    span: undefined,
  }
}

/** A proxy's absolute form (`GET http://host/path`) means the same as the path alone. */
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i

function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const path = absoluteForm.exec(url)?.[2] ?? url
  return path.startsWith('/') ? path : `/${path}`
}

/** The longest matching prefix wins. Environments that differ only by host share a prefix; then the host decides. */
function entranceOf(path: string, request: IncomingMessage, entrances: Entrance[]): Entrance | undefined {
  let best: Entrance | undefined
  for (const entrance of entrances) {
    if (!path.startsWith(entrance.prefix)) continue
    const next = path.charAt(entrance.prefix.length)
    if (next !== '/' && next !== '') continue
    const longer = best === undefined || entrance.prefix.length > best.prefix.length
    if (longer || (entrance.prefix === best?.prefix && isCalled(entrance, request))) best = entrance
  }
  return best
}

/** Returns true if the caller named this entrance's host. Case and the default port make no difference. */
function isCalled(entrance: Entrance, request: IncomingMessage): boolean {
  return plainHost(hostNamed(request)) === plainHost(entrance.host)
}

/** The host that the caller asked for. An absolute URL in the request line takes precedence over the Host header. */
export function hostNamed({ url = '', headers }: IncomingMessage): string {
  return absoluteForm.exec(url)?.[1] ?? headers.host ?? ''
}

export function plainHost(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '')
}

function addressFault(path: string, rawQuery: string): FieldError | undefined {
  if (path.includes('%')) {
    try {
      decodeURIComponent(path)
    } catch {
      return { field: 'path', message: 'The path has malformed percent-encoding. Encode a literal % as %25.' }
    }
  }
  const part = path.includes('%00') ? 'path' : rawQuery.includes('%00') ? 'query' : undefined
  return part === undefined
    ? undefined
    : { field: part, message: `The ${part} contains a NUL character (%00). Remove it.` }
}
