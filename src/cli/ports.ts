// Looks whether a server could listen, before it prepares anything: a start that fails on its port after it has made the
// first business would leave keys that the operator never saw.

import { createServer } from 'node:net'
import { OperatorError } from '#base/error.ts'
import type { Config } from '#config.ts'
import { listen } from '#http/listen.ts'

/** Throws what to do about the first port that cannot be had. A worker alone opens METRICS_PORT and no other. */
export async function requirePorts(config: Config, opens: boolean): Promise<void> {
  if (opens && config.metricsPort === config.port && config.port !== 0) {
    throw new OperatorError(`Wrong setting: METRICS_PORT and PORT are both ${config.port}. Set one to another port.`)
  }
  if (opens) await requirePort(config.host, config.port, 'PORT')
  if (config.metricsPort !== undefined) await requirePort(config.host, config.metricsPort, 'METRICS_PORT')
}

export async function requirePort(host: string, port: number, setting: string): Promise<void> {
  const probe = createServer()
  await listen(probe, host, port, setting)
  await new Promise((resolve) => probe.close(resolve))
}
