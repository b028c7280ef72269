// The API's HTTP server alone, on a real socket, with test endpoints behind it and a fixed list of keys. What it proves
// holds for every endpoint, now and later.

import { afterAll } from 'vitest'
import type { Environment } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import { newUuid } from '#platform/ids.ts'
import type { AuditedRefusal } from '#audit/refusals.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics, type Metrics } from '#platform/observability/metrics.ts'
import type { Caller, Keyring } from '#businesses/keyring.ts'
import { newKeyText } from '#businesses/keys.ts'
import { parseConfig } from '#config.ts'
import { createDoor } from '#api/server/door.ts'
import type { Endpoint } from '#api/server/endpoint.ts'
import { createReadiness } from '#api/server/operation-server.ts'
import { httpLimits, type HttpLimits } from '#api/server/server.ts'
import { createClient, type Client } from './client.ts'
import { createFakeClock, type FakeClock } from './clock.ts'
import { createTestEndpoints, type TestEndpoints } from './test-endpoints.ts'

export type TestKeyring = Keyring & {
  add(environment: Environment, restrictions?: Pick<Caller, 'scopes' | 'allow'>): string
  /** While true, every key look-up fails as it does when the database is gone. */
  down: boolean
  /** Key ids, one for each request that reached its endpoint. */
  touched: string[]
}

export type FrontDoor = {
  /** The entries that the audit log would get. */
  refused: AuditedRefusal[]
  port: number
  /** http://127.0.0.1:port, without a prefix. */
  url: string
  testKey: string
  liveKey: string
  staging: Client
  production: Client
  /** A client without prefix and key. */
  stranger: Client
  keyring: TestKeyring
  endpoints: TestEndpoints
  clock: FakeClock
  metrics: Metrics
  /** Every line of the log, parsed. */
  lines: Record<string, unknown>[]
  /** The faults that GET /ready finds; a test may replace it. */
  readiness: { missingMigrations: () => Promise<string[]> }
  stop(): Promise<void>
}

export type FrontDoorOptions = {
  settings?: Record<string, string>
  limits?: Partial<HttpLimits>
  moreEndpoints?: Endpoint[]
}

export async function startFrontDoor(options: FrontDoorOptions = {}): Promise<FrontDoor> {
  const settings = { PORT: '0', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000', LOG_LEVEL: 'trace', ...options.settings }
  const config = parseConfig(settings)
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: config.logLevel, format: 'json', write: (line) => void lines.push(parse(line)) })
  const clock = createFakeClock()
  const metrics = createMetrics()
  const keyring = createTestKeyring()
  const endpoints = createTestEndpoints()
  const refused: AuditedRefusal[] = []
  const nothing = (): Promise<void> => Promise.resolve()
  const readiness = { missingMigrations: () => Promise.resolve<string[]>([]) }
  const door = createDoor({
    ctx: { clock, log, metrics },
    config,
    endpoints: [...endpoints.list, ...(options.moreEndpoints ?? [])],
    quotaClock: clock,
    shareCount: () => Promise.reject(new Error('there is no other process')),
    refusals: { note: (refusal) => void refused.push(refusal), flush: nothing, close: nothing },
    requestLog: { note: () => undefined },
    keyring,
    limits: { ...httpLimits, ...options.limits },
    readiness: createReadiness(() => readiness.missingMigrations()),
    notices: {
      railAt: () => undefined,
      isGenuine: () => Promise.resolve(false),
      store: nothing,
      turnAway: () => undefined,
    },
  })
  const { port } = await door.open()
  const url = `http://127.0.0.1:${port}`
  const [testKey, liveKey] = [keyring.add('staging'), keyring.add('production')]
  const clients = {
    staging: createClient(`${url}/staging`, testKey),
    production: createClient(`${url}/production`, liveKey),
    stranger: createClient(url),
  }
  return {
    port,
    url,
    testKey,
    refused,
    liveKey,
    ...clients,
    keyring,
    endpoints,
    clock,
    metrics,
    lines,
    readiness,
    async stop() {
      await door.close()
      for (const client of Object.values(clients)) client.close()
    },
  }
}

/** For the top of a test file: started at once, stopped when the file ends. */
export async function useFrontDoor(options: FrontDoorOptions = {}): Promise<FrontDoor> {
  const door = await startFrontDoor(options)
  afterAll(() => door.stop())
  return door
}

function createTestKeyring(): TestKeyring {
  const callers = new Map<string, Caller>()
  const keyring: TestKeyring = {
    down: false,
    touched: [],
    add(environment, restrictions = {}) {
      const text = newKeyText(environment)
      const tenant = { lane: 1, id: newUuid(Date.now()), environment }
      const ids = { keyId: newUuid(Date.now()), businessId: newUuid(Date.now()) }
      callers.set(text, { ...ids, tenant, expiresAtMs: Infinity, ...restrictions })
      return text
    },
    find(text) {
      if (keyring.down) return Promise.reject(new Unavailable('The database cannot be reached right now.'))
      return callers.get(text)
    },
    touch: (caller) => void keyring.touched.push(caller.keyId),
    flush: () => Promise.resolve(),
  }
  return keyring
}

function parse(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>
}
