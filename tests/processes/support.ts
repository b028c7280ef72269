// Several real processes of the service on one database, as an operator starts them.

import { createBusiness } from '#businesses/business.ts'
import { createKey } from '#businesses/keys.ts'
import type { Context } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { manilla, startServer } from '#tests/cli/support.ts'
import { createClient, type Client } from '#tests/support/client.ts'
import type { Ended } from '#tests/support/launch.ts'
import { testSecretKey } from '#tests/support/service.ts'

export type Process = Awaited<ReturnType<typeof startServer>> & {
  /** Its staging API, called with this key. */
  as(key: string): Client
}

export type Settings = Record<string, string>

/** The settings of every process and command of a test. Each test sets `DATABASE_URL` itself. */
export const settings: Settings = {
  SECRET_KEY: testSecretKey.toString('base64'),
  DASHBOARD: 'off',
  LOG_FORMAT: 'json',
  SANDBOX_SETTLE_MS: '0',
  RATE_LIMIT_PER_MINUTE: '100000000',
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000000',
}

export async function startProcess(env: Settings): Promise<Process> {
  const server = await startServer({ ...settings, ...env })
  return { ...server, as: (key) => createClient(`http://127.0.0.1:${server.port}/staging`, key) }
}

export async function stopProcess(process: Process): Promise<void> {
  process.signal('SIGTERM')
  const { code, stderr } = await process.ended
  if (code !== 0) throw new Error(`a process ended with ${code}: ${stderr}`)
}

/** Runs a command of the operator and returns its JSON. */
export async function command<T = unknown>(env: Settings, ...args: string[]): Promise<T> {
  const { code, stdout, stderr }: Ended = await manilla([...args, '--json'], { env: { ...settings, ...env } })
  if (code !== 0) throw new Error(`manilla ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
  return JSON.parse(stdout) as T
}

/** Adds a business in one of several lanes, with a key of its staging. The lane follows from chance. */
export async function addBusiness(
  ctx: Context,
  isIn: (lane: number) => boolean = () => true,
): Promise<{ id: Uuid; key: string; lane: number }> {
  const { id, tenants } = await createBusiness(ctx, 'Business')
  if (!isIn(tenants.staging.lane)) return addBusiness(ctx, isIn)
  const { secret: key } = await createKey(ctx, tenants.staging, 'Test')
  return { id, key, lane: tenants.staging.lane }
}
