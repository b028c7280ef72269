// Runs the service on a prepared database. It differs from a real one in two points: its rate limit is lifted, and its
// log goes to /dev/null.

import { openSync } from 'node:fs'
import { createApp, type App, type Role } from '#app.ts'
import { createLog } from '#platform/observability/log.ts'
import { serveParent, usage } from '#bench/child.ts'
import { benchSecretKey } from '#bench/webhooks.ts'
import { parseConfig } from '#config.ts'

export type ServiceOrder = { databaseUrl: string; roles?: Role[]; settings?: Record<string, string> }

let app: App | undefined
let port = 0

async function start({ databaseUrl, roles = ['api', 'worker'], settings }: ServiceOrder): Promise<void> {
  const config = parseConfig({ PORT: '0', RATE_LIMIT_PER_MINUTE: '100000000', LOG_FORMAT: 'json', ...settings })
  app = createApp({
    config,
    databaseUrl,
    secretKey: benchSecretKey,
    roles,
    // Writes the same lines as in production, because writing them costs time. They are not stored, because in
    // production another process does that.
    log: createLog({ level: 'info', format: 'json', fd: openSync('/dev/null', 'w') }),
    processMetrics: true,
  })
  port = (await app.start()).port
}

serveParent(
  async (order: ServiceOrder) => {
    if (app === undefined) await start(order)
    return { port, ...usage() }
  },
  async () => app?.stop(),
)
