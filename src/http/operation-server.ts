// What those who operate a process ask it, on a port of their own (METRICS_HOST, METRICS_PORT): whether it lives, whether
// it can work, how it does. Every process answers there, one that only works too. No key, no business, no data of one.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Log } from '#base/log.ts'
import type { Metrics } from '#base/metrics.ts'
import { Unavailable } from '#base/error.ts'
import { listen } from './listen.ts'
import { behind, type Readiness } from './readiness.ts'

export type OperationServer = { listen(): Promise<number>; close(): Promise<void> }

export type OperationServerOptions = {
  metrics: Metrics
  log: Log
  host: string
  port: number
  readiness: Readiness
  stopping: () => boolean
}

type Told = { status: number; type: string; text: string }

/** A scraper or a balancer holds one or two. */
const connectionsMax = 64
const requestMs = 10_000

export function createOperationServer(options: OperationServerOptions): OperationServer {
  const pages = new Map<string, () => Promise<Told>>([
    ['/health', () => Promise.resolve(json(200, { status: 'ok' }))],
    ['/ready', () => tellReadiness(options)],
    ['/metrics', () => tellMetrics(options.metrics)],
  ])
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    const page = pages.get(request.url?.split('?')[0] ?? '')
    if (page === undefined) response.writeHead(404).end()
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    } else void answer(options.log, { request, response }, page)
  })
  server.maxConnections = connectionsMax
  return {
    listen: () => listen(server, options.host, options.port, 'METRICS_PORT'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  log: Log,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  page: () => Promise<Told>,
): Promise<void> {
  try {
    const { status, type, text } = await page()
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
    response.end(request.method === 'HEAD' ? undefined : text)
  } catch (error) {
    log.error({ err: error, path: request.url?.split('?')[0] }, 'a question of an operator could not be answered')
    response.writeHead(500).end()
  }
}

async function tellReadiness({ readiness, stopping }: OperationServerOptions): Promise<Told> {
  if (stopping()) return json(503, { status: 'stopping' })
  try {
    const missing = await readiness()
    return missing.length === 0
      ? json(200, { status: 'ready' })
      : json(503, { status: 'behind', message: behind, missing })
  } catch (error) {
    if (error instanceof Unavailable) return json(503, { status: 'unavailable', message: error.message })
    throw error
  }
}

async function tellMetrics(metrics: Metrics): Promise<Told> {
  return { status: 200, type: metrics.registry.contentType, text: await metrics.text() }
}

function json(status: number, body: object): Told {
  return { status, type: 'application/json; charset=utf-8', text: `${JSON.stringify(body)}\n` }
}
