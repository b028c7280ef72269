// Pages that need no key. The service is real, because readiness is about its database.

import { networkInterfaces } from 'node:os'
import { Validator } from '@seriousme/openapi-schema-validator'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { version } from '#config.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { startFrontDoor, useFrontDoor } from '#tests/support/front-door.ts'
import { freePort } from '#tests/support/launch.ts'
import { askRaw, connectRaw } from '#tests/support/raw-http.ts'
import { startService, useService } from '#tests/support/service.ts'

const service = await useService({ settings: { HOST: '0.0.0.0' }, roles: ['api'] })
const door = await useFrontDoor()
const stranger = createClient(service.url)
afterAll(() => stranger.close())

const forOperators = ['/health', '/health/', '/ready', '/metrics']

describe.each(['', '/staging', '/production'])('below %j', (prefix) => {
  it.each(['/v1/openapi.json', '/docs', '/docs/', '/docs/swagger-ui.css', ...(prefix === '' ? forOperators : [])])(
    '%s needs no key',
    async (path) => {
      expect((await stranger.get(prefix + path)).status).toBe(200)
    },
  )
})

describe('pages for operators', () => {
  it.each(['/staging', '/production'].flatMap((prefix) => forOperators.map((path) => prefix + path)))(
    'is not at %s, where a rule of a proxy for the root would not see it',
    async (path) => {
      expectError(await stranger.get(path), 404, 'ROUTE_NOT_FOUND')
    },
  )

  it('has one address for the metrics', async () => {
    expectError(await stranger.get('/metrics/'), 404, 'ROUTE_NOT_FOUND')
  })

  it('is at the root of an environment that has a host of its own', async () => {
    const own = await startFrontDoor({ settings: { PRODUCTION_BASE_URL: 'https://pay.example.com' } })
    for (const path of ['/health', '/ready', '/metrics']) expect((await own.stranger.get(path)).status).toBe(200)
    await own.stop()
  })
})

describe('GET /health', () => {
  it('is about the process alone', async () => {
    expect(expectSuccess(await stranger.get('/health'))).toEqual({ status: 'ok', version })
  })
})

describe('GET /ready', () => {
  it('says so when the database is there and up to date', async () => {
    expect(expectSuccess(await stranger.get('/ready'))).toEqual({ status: 'ready' })
  })

  it('answers 503 when the database is behind, and names in the log what it lacks', async () => {
    const behind = await startService({ roles: ['api'] })
    const asker = createClient(behind.url)
    const owner = new pg.Client({ connectionString: behind.database.ownerUrl })
    await owner.connect()
    await owner.query('delete from migration')
    const answer = await asker.get('/ready')
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /^The database is behind this version\. Run: manilla migrate$/)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(behind.lines.join('\n')).toContain('0001-')
    await owner.query('drop table migration')
    expectError(await asker.get('/ready'), 503, 'SERVICE_UNAVAILABLE')
    await owner.end()
    asker.close()
    await behind.stop()
  })

  it('answers 503 as soon as the process is asked to stop, while all else is served', async () => {
    const leaving = new AbortController()
    const asked = await startService({ leaving: leaving.signal, roles: ['api'] })
    const asker = createClient(asked.url)
    expectSuccess(await asker.get('/ready'))
    leaving.abort()
    expectError(await asker.get('/ready'), 503, 'SERVICE_UNAVAILABLE', /^The process is about to stop\.$/)
    expectSuccess(await asked.staging.get('/v1/balance'))
    asker.close()
    await asked.stop()
  })

  it('answers 503 when the database is gone, while health goes on', async () => {
    const database = await createTestDatabase()
    const orphan = await startService({ database, roles: ['api'] })
    const asker = createClient(orphan.url)
    await orphan.database.drop()
    for (const answer of [await asker.get('/ready'), await orphan.staging.get('/v1/balance')]) {
      expectError(answer, 503, 'SERVICE_UNAVAILABLE')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    expectSuccess(await asker.get('/health'))
    asker.close()
    await orphan.stop()
  })

  it('a crowd that asks at once costs the database one look', async () => {
    let looks = 0
    let finish: (missing: string[]) => void = () => undefined
    door.readiness.missingMigrations = () => {
      looks += 1
      return new Promise((resolve) => (finish = resolve))
    }
    const crowd = connectRaw(door.port)
    crowd.send('GET /ready HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50))
    await expect.poll(() => looks).toBe(1)
    finish([])
    const answers = await crowd.receive(50)
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(50)
    expect(looks).toBe(1)
    crowd.destroy()
    door.readiness.missingMigrations = () => Promise.resolve([])
  })
})

describe('GET /metrics', () => {
  it('shows this machine how the service does, in the form that Prometheus reads', async () => {
    const answer = await stranger.get('/metrics')
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(answer.text).toMatch(/^manilla_http_requests_total\{route="\/health",status="200"\} \d+$/m)
  })

  it.each([
    ['X-Forwarded-For', '10.0.0.1'],
    ['Forwarded', 'for=10.0.0.1'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Real-IP', '10.0.0.1'],
    ['Via', '1.1 proxy'],
    ['CF-Connecting-IP', '10.0.0.1'],
    ['Host', 'pay.example.com'],
  ])('is refused where %s shows that the request comes through a proxy', async (name, value) => {
    const answer = await stranger.call('/metrics', { headers: { [name]: value } })
    expectError(answer, 403, 'FORBIDDEN', /METRICS_PORT/)
  })

  it.each(['127.0.0.1:4000', 'localhost', 'LOCALHOST:80', '[::1]:4000'])(
    'is shown to whoever calls %s',
    async (Host) => {
      expect((await stranger.call('/metrics', { headers: { Host } })).status).toBe(200)
    },
  )

  it('cannot be read by a page of a website that is open on this machine', async () => {
    for (const headers of [{}, { Host: 'pay.example.com' }]) {
      const answer = await stranger.call('/metrics', { headers: { ...headers, Origin: 'https://example.com' } })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  const elsewhere = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')

  it.skipIf(elsewhere === undefined)('is refused to an address that is not loopback', async () => {
    const { port } = new URL(service.url)
    const answer = await askRaw(Number(port), 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n', {
      host: elsewhere?.address ?? '',
    })
    expectError(answer as Answer, 403, 'FORBIDDEN')
  })

  it('moves to METRICS_PORT where that is set', async () => {
    const metricsPort = await freePort()
    const apart = await startService({ settings: { METRICS_PORT: String(metricsPort) }, roles: ['api'] })
    const asker = createClient(apart.url)
    expectError(await asker.get('/metrics'), 404, 'ROUTE_NOT_FOUND')
    const client = createClient(`http://127.0.0.1:${metricsPort}`)
    expect((await client.get('/metrics')).text).toContain(`manilla_build_info{version="${version}"} 1`)
    expect((await client.get('/metrics')).text).toContain('manilla_http_requests_total')
    client.close()
    asker.close()
    await apart.stop()
    await expect(createClient(`http://127.0.0.1:${metricsPort}`).get('/metrics')).rejects.toThrow(/ECONNREFUSED/)
  })
})

describe('GET /v1/openapi.json', () => {
  it.each([
    ['the product', () => service.staging],
    ['one endpoint of each kind', () => door.staging],
  ])('is valid OpenAPI 3.1, for %s', async (_name, client) => {
    const { body } = await client().get('/v1/openapi.json')
    const { valid, errors } = await new Validator().validate(body)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('shows every endpoint with its fields as they are on the wire', async () => {
    const document = JSON.parse((await door.stranger.get('/v1/openapi.json')).text)
    expect(document.servers.map((server: { url: string }) => server.url)).toEqual([
      `${door.url}/staging`,
      `${door.url}/production`,
    ])
    expect(Object.keys(document.paths)).toContain('/v1/notes/{reference}')
    const { post, get } = document.paths['/v1/notes']
    const { $ref } = post.requestBody.content['application/json'].schema
    expect(document.components.schemas[$ref.split('/').at(-1)].properties.amount).toMatchObject({
      type: 'integer',
      minimum: 1,
    })
    expect(
      get.parameters.map((parameter: { name: string; required?: boolean }) => [parameter.name, parameter.required]),
    ).toEqual([
      ['page', undefined],
      ['limit', undefined],
    ])
    expect(Object.keys(post.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '413', '429', '500', '503']),
    )
    expect(get.responses['413']).toBeUndefined()
    expect(document.paths['/v1/notes/{reference}'].patch.operationId).toBe('updateNote')
  })
})

describe('GET /docs/try', () => {
  it.each(['', '/staging', '/production'])(
    'below %j loads everything from this server, below the same prefix',
    async (prefix) => {
      const page = await door.stranger.get(`${prefix}/docs/try`)
      const loaded = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)]
        .map(([, address]) => address ?? '')
        .filter((address) => /\.(css|js)$/.test(address))
      expect(loaded).toHaveLength(5)
      for (const address of loaded) {
        expect(address.startsWith(`${prefix}/docs/`)).toBe(true)
        expect((await door.stranger.get(address)).status).toBe(200)
      }
      const start = await door.stranger.get(`${prefix}/docs/start.js`)
      expect(start.text).toContain(`"${prefix}/v1/openapi.json"`)
      expect(start.text).toContain('validatorUrl: null')
    },
  )

  it('lets the browser run and load nothing from another host', async () => {
    const policy = (await door.stranger.get('/docs/try')).headers['content-security-policy']
    const rules = new Map(
      String(policy)
        .split('; ')
        .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
    )
    expect(rules.get('default-src')).toEqual(["'none'"])
    expect(rules.get('script-src')).toEqual(["'self'"])
    for (const name of ['style-src', 'img-src', 'font-src'])
      expect(rules.get(name)?.join(' ')).not.toMatch(/https?:|\*/)
  })

  it('names what it serves by its type', async () => {
    const types = {
      '/docs': 'text/html',
      '/docs/try': 'text/html',
      '/docs/site.js': 'text/javascript',
      '/docs/search.js': 'text/javascript',
      '/docs/style.css': 'text/css',
      '/docs/start.js': 'text/javascript',
      '/docs/swagger-ui.css': 'text/css',
      '/docs/swagger-ui-bundle.js': 'text/javascript',
    }
    for (const [path, type] of Object.entries(types)) {
      const { headers, text } = await door.stranger.get(path)
      expect(headers['content-type']).toBe(`${type}; charset=utf-8`)
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text))
    }
  })

  it.each(['/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/index.html', '/docs/swagger-initializer.js'])(
    '%s is not served',
    async (path) => {
      const answer = await askRaw(door.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expectError(answer as Answer, 404, 'ROUTE_NOT_FOUND')
    },
  )
})
