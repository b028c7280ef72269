// A collector that takes spans as OpenTelemetry's does.

import type { AddressInfo } from 'node:net'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, string> }[]
  status: { code?: number }
}

export type Collector = {
  endpoint: string
  /** The spans that it received. */
  spans: CollectedSpan[]
  requests: number
  /** The headers of the last request. */
  headers: IncomingHttpHeaders
  /** The answer that it gives from now on. */
  status: number
}

export async function startCollector(): Promise<Collector> {
  const collector: Collector = { endpoint: '', spans: [], requests: 0, headers: {}, status: 200 }
  const server = createHttpServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      collector.requests += 1
      collector.headers = request.headers
      if (collector.status === 200 && request.url === '/v1/traces') {
        const { resourceSpans } = JSON.parse(text) as {
          resourceSpans: { scopeSpans: { spans: CollectedSpan[] }[] }[]
        }
        collector.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)))
      }
      response.writeHead(collector.status, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  collector.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return collector
}
