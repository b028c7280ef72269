// What needs no key: the process's health for balancers, its metrics, and the API's description for people and tools.

import { ApiError, Unavailable } from '#base/error.ts'
import type { Metrics } from '#base/metrics.ts'
import type { Entrance } from '#config.ts'
import { answer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { successBody } from './envelope.ts'
import type { Exchange, Page } from './exchange.ts'
import { openApiDocument } from './openapi.ts'
import { docsPages } from './docs-pages.ts'
import { isFromThisMachine } from './operators-only.ts'

export type PublicPagesOptions = {
  /** What the database lacks for this version; rejects when it cannot be asked. */
  missingMigrations: () => Promise<string[]>
  metrics: Metrics
  entrances: Entrance[]
  endpoints: Endpoint[]
  /** False when METRICS_PORT is set: then the public port does not show the metrics. */
  metricsHere: boolean
}

export function createPublicPages(options: PublicPagesOptions): Map<string, Page> {
  const pages: Page[] = [
    { path: '/health', free: true, respond: (exchange) => ok(exchange, { status: 'ok' }) },
    { path: '/ready', free: true, respond: readyPage(options.missingMigrations) },
    { path: '/v1/openapi.json', respond: openApiPage(options) },
    ...docsPages(),
  ]
  if (options.metricsHere) {
    pages.push({ path: '/metrics', free: true, respond: (exchange) => showMetrics(exchange, options.metrics) })
  }
  return new Map(pages.map((page) => [page.path, page]))
}

function ok(exchange: Exchange, data: Record<string, unknown>): void {
  answer(exchange, 200, successBody(exchange.requestId, { data }), [])
}

/** /ready needs no key and has no rate limit, so all requests that come during one database query share its result. */
function readyPage(missingMigrations: PublicPagesOptions['missingMigrations']): Page['respond'] {
  let looking: Promise<string[]> | undefined
  return async (exchange) => {
    looking ??= missingMigrations().finally(() => (looking = undefined))
    const missing = await looking.catch((error: unknown) => {
      if (error instanceof Unavailable) throw error
      throw new Unavailable('The database cannot be read.', { cause: error, retryAfterSeconds: 5 })
    })
    if (missing.length === 0) return ok(exchange, { status: 'ready' })
    throw new ApiError('SERVICE_UNAVAILABLE', 'The database is behind this version. Run: manilla migrate', {
      headers: { 'Retry-After': '5' },
      internal: missing,
    })
  }
}

const textType = ['Content-Type', 'text/plain; version=0.0.4; charset=utf-8']

async function showMetrics(exchange: Exchange, metrics: Metrics): Promise<void> {
  exchange.forAnyOrigin = false
  if (!isFromThisMachine(exchange.request)) {
    throw new ApiError('FORBIDDEN', 'Metrics are shown to this machine alone. Set METRICS_PORT to give them a port.')
  }
  answer(exchange, 200, await metrics.registry.metrics(), [], textType)
}

function openApiPage({ endpoints, entrances }: PublicPagesOptions): Page['respond'] {
  // As bytes, so that callers who take it slowly do not each hold a copy.
  let body: Buffer | undefined
  return (exchange) => {
    body ??= Buffer.from(JSON.stringify(openApiDocument(endpoints, entrances)))
    answer(exchange, 200, body, [])
  }
}
