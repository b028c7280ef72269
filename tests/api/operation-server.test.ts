// The separate port for operators. Every process has it, in every role.

import { request } from 'node:http'
import { expect, it, onTestFinished, describe } from 'vitest'
import { createApp, type Role } from '#app.ts'
import { parseConfig, version } from '#config.ts'
import { createTestDatabase, quietLog, useTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { freePort } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { connectRaw } from '#tests/support/raw-http.ts'

const database = await useTestDatabase()

type Told = { status: number; type: string | undefined; text: string }

async function startProcess(roles: Role[], on: TestDatabase = database): Promise<string> {
  const port = await freePort()
  const app = createApp({
    config: parseConfig({ PORT: '0', METRICS_PORT: String(port) }),
    databaseUrl: on.serviceUrl,
    secretKey: Buffer.alloc(32, 1),
    log: quietLog(),
    roles,
  })
  await app.start()
  onTestFinished(() => app.stop())
  return `http://127.0.0.1:${port}`
}

function ask(url: string, method = 'GET'): Promise<Told> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'], text }),
      )
    })
    asking.on('error', reject).end()
  })
}

describe.each<[Role[]]>([[['worker']], [['api']], [['api', 'worker']]])('a process that is %j', (roles) => {
  it('says that it lives, that it can work, and how it does', async () => {
    const url = await startProcess(roles)
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200, text: `{"status":"ok","version":"${version}"}\n` })
    expect(await ask(`${url}/ready`)).toMatchObject({ status: 200, text: '{"status":"ready"}\n' })
    const metrics = await ask(`${url}/metrics`)
    expect(metrics).toMatchObject({ status: 200, type: expect.stringMatching(/^text\/plain; version=0\.0\.4/) })
    expect(metrics.text).toContain('manilla_database_clock_steps_total 0\n')
  })
})

describe('the port of operators', () => {
  it('answers nothing else', async () => {
    const url = await startProcess(['worker'])
    for (const path of ['/', '/v1/balance', '/staging/metrics', '/metrics/', '/constructor']) {
      expect((await ask(url + path)).status).toBe(404)
    }
    expect((await ask(`${url}/metrics`, 'POST')).status).toBe(405)
    expect(await ask(`${url}/metrics`, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('answers a client that has ended its side', async () => {
    const { port } = new URL(await startProcess(['worker']))
    const client = connectRaw(Number(port))
    client.socket.end('GET /ready HTTP/1.1\r\nHost: a\r\n\r\n')
    await client.closed()
    expect(client.answers).toMatchObject([{ status: 200, body: { status: 'ready' } }])
    client.destroy()
  })

  it('says that a process is not ready while its database is behind, and what it lacks', async () => {
    const behind = await createTestDatabase()
    const url = await startProcess(['worker'], behind)
    await asOwner(behind, 'delete from migration')
    const told = await ask(`${url}/ready`)
    expect(told.status).toBe(503)
    expect(JSON.parse(told.text)).toMatchObject({
      status: 'behind',
      missing: expect.arrayContaining(['0001-businesses.sql']),
    })
    await behind.drop()
    expect(await ask(`${url}/ready`)).toMatchObject({ status: 503, text: expect.stringContaining('unavailable') })
    expect((await ask(`${url}/health`)).status).toBe(200)
  })
})
