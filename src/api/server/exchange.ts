// Requests that a proxy in front may read otherwise than we do. They are the last ones of their connection: what seems to come
// behind one may be, to that proxy, a part of it, and somebody else's.

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
  /** Nothing behind this request is read as another one. */
  isLast: boolean
  /** Why it is refused. */
  fault: string | undefined
}

const certain: Framing = { isLast: false, fault: undefined }

function framingOf({ headers, httpVersion, rawHeaders }: IncomingMessage): Framing {
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return { isLast: true, fault: 'There is more than one Host header.' }
  if (httpVersion !== '1.0') return hosts === 1 ? certain : { isLast: true, fault: 'The Host header is missing.' }
  return headers['transfer-encoding'] === undefined ? certain : { isLast: true, fault: undefined }
}

/** Node keeps the first one and says nothing of the others. */
function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/

/** The caller's own correlation id when it is usable, else a new one. Never an error. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && visibleAscii.test(header) ? header : randomUUID()
}

// One request and its answer, filled in step by step on the way through the pipeline.

export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  startedAtMs: number
  /** Where the request comes from, as far as that is known for sure; proxies of the operator's own are seen through. */
  callerAddress: string
  method: string
  /** The environment that the address belongs to, and the path below its prefix. Undefined at the root. */
  entrance: Entrance | undefined
  path: string
  rawQuery: string
  framing: Framing
  /** What is wrong with the address, told when it is the fields' turn. */
  badAddress: FieldError | undefined
  caller: Caller | undefined
  /** Who is signed in to the dashboard, and where they look. */
  person: SignedInPerson | undefined
  /** The caller's key is not for use from this address. */
  isOutside: boolean
  /** Undefined until the request was counted against a quota. */
  quota: Quota | undefined
  /** Whether a page of any website may read the answer. */
  forAnyOrigin: boolean
  /** What the door that it came through has browsers do. */
  guards: readonly string[]
  /** The route's pattern, for metrics and the log: never what a caller made up. */
  route: string
  /** For the log: what the request is about, and why it was refused. */
  reference: string | undefined
  errorCode: ErrorCode | undefined
  span: ReceivedSpan | undefined
}

/** As the log names them: by their id alone. */
export type SignedInPerson = { id: Uuid; business?: Uuid; environment?: Environment }

/** What a caller gets without a key. */
export type Page = {
  path: string
  /** Does not count against a quota: a balancer must not be refused for asking too often. */
  free?: boolean
  /** Stands at the root alone: below an environment's prefix a proxy would pass it on with the API. */
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

/** The longest prefix wins; environments told apart by their host alone share a prefix, and there the host decides. */
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

/** Whether the caller named this entrance's host. Capitals and the default port make no difference. */
function isCalled(entrance: Entrance, request: IncomingMessage): boolean {
  return plainHost(hostNamed(request)) === plainHost(entrance.host)
}

/** The host that the caller meant to reach; an absolute address counts before the header. */
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
