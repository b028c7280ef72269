// The recipes for proxies, with real proxies: a request through each, the paths that they keep from clients, and two
// processes that are replaced one by one while clients go on.

import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBusiness } from '#businesses/business.ts'
import { createKey } from '#businesses/keys.ts'
import { makeTestCertificate } from '#tests/platform/fixtures/test-certificate.ts'
import { start, startManilla } from '#tests/cli/support.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { freePort, type Running } from '#tests/support/launch.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { deployFolder, findTool, run } from './tools.ts'

const host = 'staging.pay.example.com'
const productionHost = 'pay.example.com'
const database = await useTestDatabase()
const secretKey = Buffer.alloc(32, 7).toString('base64')

type Api = { port: number; process: Running }

/** Each process counts strangers by itself. */
const strangersPerMinute = 5

let apis: Api[] = []
let key = ''

async function startApi(port: number): Promise<Api> {
  const env = {
    DATABASE_URL: database.serviceUrl,
    SECRET_KEY: secretKey,
    PORT: String(port),
    STAGING_BASE_URL: `https://${host}`,
    PRODUCTION_BASE_URL: `https://${productionHost}`,
    TRUSTED_PROXIES: '127.0.0.1/32',
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: String(strangersPerMinute),
    STOP_DELAY_SECONDS: '5', // As in systemd's units.
  }
  const process = await startManilla(['serve', '--roles', 'api'], { env })
  await untilHolds(() => expect(process.stdout()).toMatch(/listening on/))
  return { port, process }
}

beforeAll(async () => {
  const ctx = createTestContext(database.connect())
  const { tenants } = await createBusiness(ctx, 'Behind a proxy')
  key = (await createKey(ctx, tenants.staging, 'backend')).secret
  apis = await Promise.all([startApi(await freePort()), startApi(await freePort())])
})

afterAll(() => {
  for (const { process } of apis) process.signal('SIGKILL')
})

type Proxy = {
  name: string
  tool: string | undefined
  start(apiPorts: number[]): Promise<{ port: number; process: Running }>
}

const proxies: Proxy[] = [
  { name: 'nginx', tool: findTool('nginx'), start: startNginx },
  { name: 'caddy', tool: findTool('caddy'), start: startCaddy },
]

describe.each(proxies)('$name', ({ tool, start: startProxy }) => {
  it.skipIf(tool === undefined)(
    'shows dashboard and docs, hides the metrics, and goes on serving while both processes are replaced',
    async () => {
      const proxy = await startProxy(apis.map(({ port }) => port))
      const ask = client(proxy.port)
      await untilHolds(async () => expect(await ask('/v1/balance')).toBe(200))
      for (const hidden of ['/metrics', '/metrics/', '/staging/metrics', '/production/metrics']) {
        expect(await ask(hidden), hidden).toBe(404)
      }
      const browse = client(proxy.port, { name: productionHost })
      for (const page of ['/dashboard', '/dashboard/welcome', '/docs']) expect(await browse(page), page).toBe(200)
      // A stranger uses up their own quota and no other one, although the proxy calls for all of them.
      const stranger = (address: string): Promise<number> =>
        client(proxy.port, { key: 'wrong', address })('/v1/balance')
      const tries = Array.from({ length: 4 * strangersPerMinute }, () => stranger('127.0.0.2'))
      expect(await Promise.all(tries)).toContain(429)
      expect(await stranger('127.0.0.3')).toBe(401)
      const statuses: number[] = []
      let over = false
      const clients = Array.from({ length: 4 }, async () => {
        while (!over) statuses.push(await ask('/v1/balance'))
      })
      for (const [at, api] of apis.entries()) {
        const before = statuses.length
        await untilHolds(() => expect(statuses.length).toBeGreaterThan(before + 50))
        api.process.signal('SIGTERM')
        expect(await api.process.ended).toMatchObject({ code: 0 })
        apis[at] = await startApi(api.port)
        // Each proxy has tried the stopped process again, so both processes serve before the next one stops.
        const after = statuses.length
        await untilHolds(async () => {
          expect(statuses.length).toBeGreaterThan(after + 50)
          expect(await servedBy(api.port)).toBeGreaterThan(0)
        })
      }
      over = true
      await Promise.all(clients)
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      proxy.process.signal('SIGTERM')
      await proxy.process.ended
    },
  )
})

/** How many requests a process has answered since its start. */
async function servedBy(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const counts = [...text.matchAll(/^manilla_http_requests_total\{[^}]*balance[^}]*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** A client whose requests go through the proxy, by the name that clients use. It returns the status of each answer. */
function client(
  port: number,
  from: { key?: string; address?: string; name?: string } = {},
): (path: string) => Promise<number> {
  const name = from.name ?? host
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, servername: name })
  const headers = { Host: name, Authorization: `Bearer ${from.key ?? key}` }
  return async (pathname) => {
    const localAddress = from.address ?? '127.0.0.1'
    const sent = request({ host: '127.0.0.1', port, path: pathname, agent, headers, localAddress }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response.statusCode ?? 0
  }
}

async function writeCertificate(folder: string): Promise<void> {
  const { key: privateKey, cert } = makeTestCertificate([host, productionHost])
  await writeFile(path.join(folder, 'fullchain.pem'), cert)
  await writeFile(path.join(folder, 'privkey.pem'), privateKey)
}

async function startNginx([first = 0, second = 0]: number[]) {
  const folder = await newFolder('nginx')
  await chmod(folder, 0o755)
  await writeCertificate(folder)
  const [port, plain] = [await freePort(), await freePort()]
  const recipe = (await readFile(path.join(deployFolder, 'nginx', 'manilla.conf'), 'utf8'))
    .replaceAll('/etc/manilla/tls', folder)
    .replace('127.0.0.1:4000', `127.0.0.1:${first}`)
    .replace('127.0.0.1:4001', `127.0.0.1:${second}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`)
  await writeFile(path.join(folder, 'manilla.conf'), recipe)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  await writeFile(
    path.join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1; events {}
     http { access_log off; ${temporary.join(' ')} include ${folder}/manilla.conf; }`,
  )
  const words = [findTool('nginx') ?? '', '-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')]
  expect(await run(words[0] ?? '', [...words.slice(1), '-t'])).toMatchObject({ code: 0 })
  return { port, process: await start(words, {}) }
}

async function startCaddy([first = 0, second = 0]: number[]) {
  const folder = await newFolder('caddy')
  await writeCertificate(folder)
  const port = await freePort()
  const recipe = (await readFile(path.join(deployFolder, 'caddy', 'Caddyfile'), 'utf8'))
    .replace('127.0.0.1:4000', `127.0.0.1:${first}`)
    .replace('127.0.0.1:4001', `127.0.0.1:${second}`)
    .replace(
      'pay.example.com, staging.pay.example.com {',
      `https://${host}:${port}, https://${productionHost}:${port} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
    )
  const file = path.join(folder, 'Caddyfile')
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${recipe}`)
  const tool = findTool('caddy') ?? ''
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  expect(await run(tool, ['validate', '--adapter', 'caddyfile', '--config', file], { env })).toMatchObject({ code: 0 })
  return { port, process: await start([tool, 'run', '--adapter', 'caddyfile', '--config', file], { env }) }
}
