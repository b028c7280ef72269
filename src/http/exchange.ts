// One request and its answer, filled in step by step on the way through the pipeline.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Entrance } from '#config.ts'
import type { Caller } from '#businesses/keyring.ts'
import type { Quota } from '#businesses/quota.ts'
import { requestIdOf } from './middleware/request-id.ts'

export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  startedAtMs: number
  method: string
  /** The environment that the address belongs to, and the path below its prefix. Undefined at the root. */
  entrance: Entrance | undefined
  path: string
  rawQuery: string
  /** What is wrong with the address, told when it is the fields' turn. */
  badAddress: string | undefined
  caller: Caller | undefined
  quota: Quota
  /** The route's pattern, for metrics and the log: never what a caller made up. */
  route: string
}

/** Something to be had without a key. */
export type Page = {
  path: string
  /** Counts against no quota: a balancer must not be refused for asking too often. */
  free?: boolean
  respond: (exchange: Exchange) => Promise<void> | void
}

const unknownQuota: Quota = { limit: 0, remaining: 0, resetAtSeconds: 0, exceeded: false }

export function openExchange(request: IncomingMessage, response: ServerResponse, entrances: Entrance[], nowMs: number): Exchange {
  const url = originForm(request.url ?? '/')
  const queryAt = url.indexOf('?')
  const rawPath = queryAt === -1 ? url : url.slice(0, queryAt)
  const rawQuery = queryAt === -1 ? '' : url.slice(queryAt + 1)
  const entrance = entranceOf(rawPath, request.headers.host, entrances)
  const path = rawPath.slice(entrance?.prefix.length ?? 0)
  const badAddress = addressFault(path, rawQuery)
  return {
    request,
    response,
    requestId: requestIdOf(request.headers['x-request-id']),
    startedAtMs: nowMs,
    method: request.method ?? 'GET',
    entrance,
    // A path that does not decode still has to find its route: which comes first, the key or the path, is fixed.
    path: badAddress === undefined ? path : path.replaceAll('%', '%25'),
    rawQuery,
    badAddress,
    caller: undefined,
    quota: unknownQuota,
    route: 'none',
  }
}

/** A proxy's absolute form (`GET http://host/path`) means the same as the path alone. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1]
  return path === undefined ? `/${url}` : path.startsWith('/') ? path : `/${path}`
}

/** The longest prefix wins; environments told apart by their host alone share a prefix, and there the host decides. */
function entranceOf(path: string, host: string | undefined, entrances: Entrance[]): Entrance | undefined {
  let best: Entrance | undefined
  for (const entrance of entrances) {
    if (!path.startsWith(entrance.prefix)) continue
    const next = path.charAt(entrance.prefix.length)
    if (next !== '/' && next !== '') continue
    const longer = best === undefined || entrance.prefix.length > best.prefix.length
    if (longer || (entrance.prefix === best?.prefix && entrance.host === host)) best = entrance
  }
  return best
}

function addressFault(path: string, rawQuery: string): string | undefined {
  if (path.includes('%')) {
    try {
      decodeURIComponent(path)
    } catch {
      return 'The path holds a malformed percent-encoding.'
    }
  }
  return path.includes('%00') || rawQuery.includes('%00') ? 'The address holds a NUL character; remove it.' : undefined
}
