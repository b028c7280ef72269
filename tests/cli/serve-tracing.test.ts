// A service without tracing loads no code for it.

import { describe, expect, it } from 'vitest'
import { useTestDatabase } from '#tests/support/database.ts'
import { testSecretKey } from '#tests/support/service.ts'
import { startFromSource } from './support.ts'

const database = await useTestDatabase()

describe('a process without an endpoint', () => {
  const seeModules = `data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module'
     registerHooks({ load(url, context, next) { process.stderr.write('LOADED ' + url + '\\n'); return next(url, context) } })`,
  )}`

  async function modulesOf(settings: Record<string, string>): Promise<string[]> {
    const env = {
      DATABASE_URL: database.serviceUrl,
      SECRET_KEY: testSecretKey.toString('base64'),
      PORT: '0',
      NODE_OPTIONS: `--import ${seeModules}`,
      ...settings,
    }
    const server = await startFromSource(['serve'], { env })
    await server.says(/listening on/)
    server.signal('SIGTERM')
    const { stderr } = await server.ended
    return [...stderr.matchAll(/^LOADED .*\/src\/platform\/(?:[\w-]+\/)?([\w-]+)\.ts$/gm)].map(([, name]) => name ?? '')
  }

  it('loads nothing of it', async () => {
    const without = await modulesOf({})
    expect(without).toContain('client')
    expect(without).not.toContain('tracing')
    expect(await modulesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toContain('tracing')
  })
})
