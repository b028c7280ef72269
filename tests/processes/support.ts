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
  /** Its staging, as whoever has this key calls it. */
  as(key: string): Client
}

export type Settings = Record<string, string>

/** What every process and command of a test has. `DATABASE_URL` is for the test to say. */
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

/** A command of the operator; its JSON. */
export async function command<T = unknown>(env: Settings, ...args: string[]): Promise<T> {
  const { code, stdout, stderr }: Ended = await manilla([...args, '--json'], { env: { ...settings, ...env } })
  if (code !== 0) throw new Error(`manilla ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
  return JSON.parse(stdout) as T
}

/** A business whose lane is one of those that chance may give it, with a key of its staging. */
export async function addBusiness(
  ctx: Context,
  isIn: (lane: number) => boolean = () => true,
): Promise<{ id: Uuid; key: string; lane: number }> {
  const { id, tenants } = await createBusiness(ctx, 'Business')
  if (!isIn(tenants.staging.lane)) return addBusiness(ctx, isIn)
  const { secret: key } = await createKey(ctx, tenants.staging, 'Test')
  return { id, key, lane: tenants.staging.lane }
}
