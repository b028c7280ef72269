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
import type { CallerAddress } from './connections.ts'

type Framing = {
  /**
   * Bytes after this request are not read as another request. A proxy in front may frame such a request differently
   * than we do and take those bytes for a part of it; they could then belong to another caller.
   */
  isLast: boolean
  /** Why the request is refused. */
  fault: string | undefined
}

const certain: Framing = { isLast: false, fault: undefined }

function framingOf({ headers, httpVersion, rawHeaders }: IncomingMessage): Framing {
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return { isLast: true, fault: 'There is more than one Host header.' }
  if (httpVersion !== '1.0') return hosts === 1 ? certain : { isLast: true, fault: 'The Host header is missing.' }
  return headers['transfer-encoding'] === undefined ? certain : { isLast: true, fault: undefined }
}

/** Counts the raw headers because Node keeps the first Host header and silently drops the others. */
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
  startedAtMs: number
  /** The verified origin of the request. Addresses that the operator's own proxies report are trusted. */
  callerAddress: string
  method: string
  /** The environment that the address belongs to; undefined at the root. `path` is the part below its prefix. */
  entrance: Entrance | undefined
  path: string
  rawQuery: string
  framing: Framing
  /** The error in the address; reported when the fields are validated. */
  badAddress: FieldError | undefined
  caller: Caller | undefined
  /** The user who is signed in to the dashboard, with the business and environment that they view. */
  person: SignedInPerson | undefined
  /** True if the caller's key may not be used from this address. */
  isOutside: boolean
  /** Undefined until the request was counted against a quota. */
  quota: Quota | undefined
  /** True if a page of any website may read the response. */
  forAnyOrigin: boolean
  /** Security headers for browsers, set by the dashboard. */
  guards: readonly string[]
  /** The route's pattern, for metrics and the log. It never contains text that a caller sent. */
  route: string
  /** The reference that the request is about and the code of its refusal, for the log. */
  reference: string | undefined
  errorCode: ErrorCode | undefined
  /** The fields that the refusal named, or those of the refused items of a bulk request, for the log of requests. */
  faults: LoggedFault[] | undefined
  /** The body as it came, for the log of refused requests. */
  sent: Buffer | undefined
  span: ReceivedSpan | undefined
}

/** `errorCode` is set for an item that was refused by itself. */
export type LoggedFault = FieldError & { errorCode?: ErrorCode }

/** The user as the log names them: only by ids. */
export type SignedInPerson = { id: Uuid; business?: Uuid; environment?: Environment }

/** A page that needs no key. */
export type Page = {
  path: string
  /** Does not count against a quota, so that a load balancer is not refused for asking too often. */
  free?: boolean
  /** Served only at the root. Below an environment's prefix, a proxy would expose it together with the API. */
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
    startedAtMs: clock.now(),
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

/** The longest prefix wins. If environments differ only by host, they share a prefix and the host decides. */
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

/** The host that the caller meant to reach. An absolute address takes precedence over the Host header. */
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
      return { field: 'path', message: 'The path holds a malformed percent-encoding.' }
    }
  }
  const part = path.includes('%00') ? 'path' : rawQuery.includes('%00') ? 'query' : undefined
  return part === undefined ? undefined : { field: part, message: `The ${part} holds a NUL character; remove it.` }
}
