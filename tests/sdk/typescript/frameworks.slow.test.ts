// The webhook helpers in the real Express, Fastify, Hono and Next: the packed SDK, the frameworks from the registry
// with their types, and deliveries over HTTP.

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { signWebhook } from '#sdk/testing.ts'
import { start } from '#tests/cli/support.ts'
import { fetched, run } from '#tests/openapi/tools.ts'
import { packedTypeScript } from '#tests/sdk/packed.ts'
import { freePort } from '#tests/support/launch.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const packages = ['express@5.1.0', '@types/express@5.0.3', 'fastify@5.6.1', 'hono@4.9.9', '@hono/node-server@1.19.4']

const program = `
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { expressWebhook, fastifyWebhook, honoWebhook, webhookHandler, type ReceiverOptions } from '@manilla/sdk'

const taken: string[] = []
const options: ReceiverOptions = {
  secret: ${JSON.stringify(secret)},
  onEvent: (event) => {
    if (event.reference === 'FAIL') throw new Error('The database is down.')
    taken.push(event.id)
  },
}

const shop = express()
shop.post('/webhooks', expressWebhook(options))
shop.post('/raw', express.raw({ type: 'application/json' }), expressWebhook(options))
shop.use(express.json())
shop.post('/parsed', expressWebhook(options))
shop.post('/own', (request, response) => void response.json(request.body))

const fastify = Fastify()
fastify.register(fastifyWebhook('/webhooks', options))
fastify.post('/own', async (request) => request.body)

const hono = new Hono()
hono.post('/webhooks', honoWebhook(options))
hono.post('/own', async (context) => context.json(await context.req.json()))

const portOf = (server: { address: () => unknown }): number => (server.address() as AddressInfo).port
const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(portOf(server))))
await fastify.listen({ port: 0, host: '127.0.0.1' })
const ports = {
  express: await listen(createServer(shop)),
  fastify: portOf(fastify.server),
  hono: await new Promise<number>((resolve) => serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port))),
  taken: await listen(createServer((_request, response) => response.end(JSON.stringify(taken)))),
}
console.log(JSON.stringify(ports))
`

const next = ['next@16.2.1', 'react@19.2.0', 'react-dom@19.2.0']
const nextRoute = `
import { webhookHandler } from '@manilla/sdk'

export const POST = webhookHandler({
  secret: ${JSON.stringify(secret)},
  onEvent: (event) => {
    if (event.reference === 'FAIL') throw new Error('The database is down.')
    console.log('taken ' + event.id)
  },
})
`

const nextTypes = `
import type { NextRequest } from 'next/server.js'
import { POST } from './app/webhooks/route.js'

export const handler: (request: NextRequest) => Promise<Response> = POST
`

const strict = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --target es2023 --module nodenext'
const tsc = path.join(root, 'node_modules/.bin/tsc')

const bodyOf = (id: string, reference = 'PAYOUT-1'): string =>
  JSON.stringify({ id, event: 'transfer.success', reference, data: { reference } })

async function post(address: string, body: string, headers: Record<string, string>): Promise<number> {
  const json = { 'Content-Type': 'application/json', ...headers }
  return (await fetch(address, { method: 'POST', body, headers: json })).status
}

/**
 * The statuses of one signed delivery, three invalid ones, one whose `onEvent` fails, and of another route that parses
 * JSON itself.
 */
async function statusesOf(address: string, id: string): Promise<number[]> {
  const [body, failing] = [bodyOf(id), bodyOf('evt_2', 'FAIL')]
  return [
    await post(address, body, await signWebhook(body, secret)),
    await post(address, body, await signWebhook(body, 'whsec_other')),
    await post(address, `${body} `, await signWebhook(body, secret)),
    await post(address, body, {}),
    await post(address, failing, await signWebhook(failing, secret)),
    await post(address.replace(/\w+$/, 'own'), '{"a":1}', {}),
  ]
}

async function installed(context: TestContext, names: string[]): Promise<string> {
  const folder = await newFolder('frameworks')
  await writeFile(path.join(folder, 'package.json'), '{"type":"module","private":true}')
  const options = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
  await fetched(context, folder, 'npm', ...options, ...names, await packedTypeScript())
  return folder
}

describe('the packed SDK in the frameworks of the registry', () => {
  it('fits their types, takes signed deliveries, refuses the rest, and leaves other routes alone', async (context) => {
    const folder = await installed(context, packages)
    await writeFile(path.join(folder, 'main.ts'), program)
    expect(await run(folder, tsc, ...strict.split(' '), 'main.ts')).toEqual({ ok: true, text: '' })

    const running = await start([process.execPath, 'main.ts'], { cwd: folder })
    const ports = JSON.parse((await running.says(/^\{.*\}$/m))[0]) as Record<string, number>
    const routes = ['express/webhooks', 'express/raw', 'fastify/webhooks', 'hono/webhooks']
    for (const route of routes) {
      const [framework = '', name = ''] = route.split('/')
      const address = `http://127.0.0.1:${ports[framework]}/${name}`
      expect([route, ...(await statusesOf(address, route))]).toEqual([route, 200, 400, 400, 400, 500, 200])
    }
    const parsed = bodyOf('evt_3')
    expect(await post(`http://127.0.0.1:${ports['express']}/parsed`, parsed, await signWebhook(parsed, secret))).toBe(
      500,
    )
    await untilHolds(() => expect(running.stderr()).toContain('before express.json()'))
    expect(await (await fetch(`http://127.0.0.1:${ports['taken']}`)).json()).toEqual(routes)
  })

  it('is a route handler of Next', async (context) => {
    const folder = await installed(context, next)
    const own = 'export const POST = async (request) => Response.json(await request.json())\n'
    const files = { 'app/webhooks/route.js': nextRoute, 'app/own/route.js': own, 'types.ts': nextTypes }
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
      await writeFile(path.join(folder, file), text)
    }
    const options = [...strict.split(' '), '--allowJs', 'types.ts']
    expect(await run(folder, tsc, ...options)).toEqual({ ok: true, text: '' })

    const port = await freePort()
    const words = ['node_modules/next/dist/bin/next', 'dev', '--port', String(port), '--hostname', '127.0.0.1']
    const running = await start([process.execPath, ...words], { cwd: folder, env: { NEXT_TELEMETRY_DISABLED: '1' } })
    await running.says(/Ready in/)
    expect(await statusesOf(`http://127.0.0.1:${port}/webhooks`, 'evt_1')).toEqual([200, 400, 400, 400, 500, 200])
    await untilHolds(() => expect(running.stdout().match(/taken \w+/g)).toEqual(['taken evt_1']))
  })
})
