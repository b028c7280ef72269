// The pages of the public port that need no key: health, readiness, metrics, the OpenAPI document and the documentation.
// The metrics are shown only to callers on this machine, and not at all if they have a port of their own
// (operation-server.ts).

import type { IncomingMessage } from 'node:http'
import { docsPages } from '#api/docs/routes.ts'
import { openApiDocument } from '#api/openapi/document.ts'
import { type Entrance, version } from '#config.ts'
import { ApiError } from '#platform/errors.ts'
import { isLoopback } from '#platform/http-client/addresses.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { answer, successBody } from './answer.ts'
import { addressOf } from './caller-address.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchange, Page } from './exchange.ts'
import { behind, type Readiness } from './operation-server.ts'

type PublicPagesOptions = {
  readiness: Readiness
  metrics: Metrics
  entrances: Entrance[]
  endpoints: Endpoint[]
  /** False if METRICS_PORT is set; the public port then does not show the metrics. */
  metricsHere: boolean
}

export function createPublicPages(options: PublicPagesOptions): Map<string, Page> {
  const pages: Page[] = [
    { path: '/health', free: true, atRoot: true, respond: (exchange) => ok(exchange, { status: 'ok', version }) },
    { path: '/ready', free: true, atRoot: true, respond: readyPage(options.readiness) },
    { path: '/v1/openapi.json', respond: openApiPage(options) },
    ...docsPages(options.entrances),
  ]
  if (options.metricsHere) {
    const respond = (exchange: Exchange): Promise<void> => showMetrics(exchange, options.metrics)
    pages.push({ path: '/metrics', free: true, atRoot: true, respond })
  }
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const root = byPath.get('/')
  if (root !== undefined) byPath.set('', root) // Below a prefix the root may be requested without its slash.
  return byPath
}

function ok(exchange: Exchange, data: Record<string, unknown>): void {
  answer(exchange, 200, successBody(exchange.requestId, { data }), [])
}

function readyPage(readiness: Readiness): Page['respond'] {
  return async (exchange) => {
    const missing = await readiness()
    if (missing.length === 0) return ok(exchange, { status: 'ready' })
    throw new ApiError('SERVICE_UNAVAILABLE', behind, { headers: { 'Retry-After': '5' }, internal: missing })
  }
}

const textType = ['Content-Type', 'text/plain; version=0.0.4; charset=utf-8']

async function showMetrics(exchange: Exchange, metrics: Metrics): Promise<void> {
  exchange.forAnyOrigin = false
  if (!isFromThisMachine(exchange.request)) {
    throw new ApiError('FORBIDDEN', 'Metrics are shown to this machine alone. Set METRICS_PORT to give them a port.')
  }
  answer(exchange, 200, await metrics.text(), [], textType)
}

/** Headers that proxies add to a request that they forward. */
const forwarding =
  /^(x-forwarded-.+|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-.+|fastly-.+)$/

/**
 * Returns true if a program on this machine sent the request. Behind a proxy on this machine every caller has a
 * loopback address. So a request with a public host name, or with a header that proxies add, counts as one from
 * elsewhere. A proxy that adds no such header and sends a local host name cannot be recognized; METRICS_PORT is for
 * that case.
 */
function isFromThisMachine(request: IncomingMessage): boolean {
  const host = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(request.headers.host ?? '')
  const name = host?.[1] ?? host?.[2] ?? ''
  return (
    isLoopback(addressOf(request.socket)) &&
    (name.toLowerCase() === 'localhost' || isLoopback(name)) &&
    !Object.keys(request.headers).some((header) => forwarding.test(header))
  )
}

function openApiPage({ endpoints, entrances }: PublicPagesOptions): Page['respond'] {
  // Stored as bytes, so that slow callers do not each keep a copy in memory.
  let body: Buffer | undefined
  return (exchange) => {
    body ??= Buffer.from(JSON.stringify(openApiDocument(endpoints, entrances)))
    answer(exchange, 200, body, [])
  }
}
