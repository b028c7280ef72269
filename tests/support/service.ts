// The whole service, as a value, on a free port and a database of its own, with a business that has keys.

import { afterAll } from 'vitest'
import { createApp, type App, type AppOptions } from '#app.ts'
import type { Context } from '#platform/context.ts'
import { createLog } from '#platform/observability/log.ts'
import { createBusiness, type NewBusiness } from '#businesses/business.ts'
import { createKey } from '#businesses/keys.ts'
import { parseConfig, type Config } from '#config.ts'
import { createClient, type Client } from './client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** The key that seals secrets, unless a test gives another: several services on one database share it. */
export const testSecretKey = Buffer.alloc(32, 5)

export type TestBusiness = {
  business: NewBusiness
  testKey: string
  liveKey: string
  /** Clients of the two environments, with this business's keys. */
  staging: Client
  production: Client
}

export type TestService = TestBusiness & {
  app: App
  ctx: Context
  database: TestDatabase
  /** http://127.0.0.1:port, without a prefix. */
  url: string
  /** Every line that the service logged. */
  lines: string[]
  /** Another business on the same service. */
  addBusiness(name: string): Promise<TestBusiness>
  stop(): Promise<void>
}

export type TestServiceOptions = Partial<Omit<AppOptions, 'config' | 'databaseUrl'>> & {
  settings?: Record<string, string>
  config?: Partial<Config>
  database?: TestDatabase
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createTestDatabase())
  const lines: string[] = []
  const { settings, config: changes, database: _given, ...rest } = options
  const config = {
    ...parseConfig({
      PORT: '0',
      RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...settings,
    }),
    ...changes,
  }
  const log = createLog({ level: config.logLevel, format: 'json', write: (line) => lines.push(line) })
  const app = createApp({ config, databaseUrl: database.serviceUrl, secretKey: testSecretKey, log, ...rest })
  const { port } = await app.start()
  const url = `http://127.0.0.1:${port}`
  const clients: Client[] = []

  async function addBusiness(name: string): Promise<TestBusiness> {
    const business = await createBusiness(app.ctx, name)
    const testKey = (await createKey(app.ctx, business.tenants.staging, 'Test')).secret
    const liveKey = (await createKey(app.ctx, business.tenants.production, 'Test')).secret
    const staging = createClient(`${url}/staging`, testKey)
    const production = createClient(`${url}/production`, liveKey)
    clients.push(staging, production)
    return { business, testKey, liveKey, staging, production }
  }

  const first = await addBusiness('Test Business')
  return {
    ...first,
    app,
    ctx: app.ctx,
    database,
    url,
    lines,
    addBusiness,
    async stop() {
      for (const client of clients) client.close()
      await app.stop()
      if (options.database === undefined) await database.drop()
    },
  }
}

/** For the top of a test file: started at once, stopped when the file ends. */
export async function useService(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startService(options)
  afterAll(() => service.stop())
  return service
}

/** What a file may use of a shared service: its own businesses, their rows in the database, and their people. */
export type SharedService = TestBusiness & Pick<TestService, 'ctx' | 'database' | 'url' | 'addBusiness'>

let shared: Promise<TestService> | undefined

/**
 * For the top of a test file that reads only its own businesses and needs no worker: a business on the service that
 * this process shares among such files. A service costs a third of a second of processor time to start, and it ends
 * with the process.
 */
export async function shareService(): Promise<SharedService> {
  shared ??= startService({ roles: ['api'] })
  const { ctx, database, url, ...service } = await shared
  const clients: Client[] = []
  afterAll(() => clients.forEach((client) => client.close()))
  const addBusiness = async (name: string): Promise<TestBusiness> => {
    const added = await service.addBusiness(name)
    clients.push(added.staging, added.production)
    return added
  }
  return { ...(await addBusiness('Test Business')), ctx, database, url, addBusiness }
}
