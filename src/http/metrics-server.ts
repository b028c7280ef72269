// Metrics on a port of their own (METRICS_PORT), for a Prometheus on another machine of the private network.

import { createServer } from 'node:http'
import type { Metrics } from '#base/metrics.ts'
import { listen } from './listen.ts'

export type MetricsServer = { listen(): Promise<number>; close(): Promise<void> }

export function createMetricsServer(metrics: Metrics, host: string, port: number): MetricsServer {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end()
      return
    }
    metrics.registry
      .metrics()
      .then((text) => response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text))
      .catch(() => response.writeHead(500).end())
  })
  return {
    listen: () => listen(server, host, port, 'METRICS_PORT'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
