// The webhook helpers in Express, Fastify and Hono themselves: the packed SDK, the frameworks of the registry, their own types, and
// deliveries over HTTP. Next calls a function of web standards, which receivers.test.ts does too.

import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { signWebhook } from '#sdk/testing.ts'
import { start } from '#tests/cli/support.ts'
import { fetched, run } from '#tests/openapi/tools.ts'
import { packedTypeScript } from '#tests/sdk/packed.ts'
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

// As Next wants a route handler.
export const POST: (request: Request) => Promise<Response> = webhookHandler(options)

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

const bodyOf = (id: string, reference = 'PAYOUT-1'): string =>
  JSON.stringify({ id, event: 'transfer.success', reference, data: { reference } })

async function post(address: string, body: string, headers: Record<string, string>): Promise<number> {
  const json = { 'Content-Type': 'application/json', ...headers }
  return (await fetch(address, { method: 'POST', body, headers: json })).status
}

describe('the packed SDK in the frameworks of the registry', () => {
  it('fits their types, takes what is signed, refuses the rest, and leaves other routes alone', async (context) => {
    const folder = await newFolder('frameworks')
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
    const options = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
    await fetched(context, folder, 'npm', ...options, ...packages, await packedTypeScript())
    await writeFile(path.join(folder, 'main.ts'), program)
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--target', 'es2023']
    const tsc = path.join(root, 'node_modules/.bin/tsc')
    expect(await run(folder, tsc, ...strict, '--module', 'nodenext', 'main.ts')).toEqual({ ok: true, text: '' })

    const running = await start([process.execPath, 'main.ts'], { cwd: folder })
    const ports = JSON.parse((await running.says(/^\{.*\}$/m))[0]) as Record<string, number>
    const routes = ['express/webhooks', 'express/raw', 'fastify/webhooks', 'hono/webhooks']
    for (const route of routes) {
      const [framework = '', name = ''] = route.split('/')
      const address = `http://127.0.0.1:${ports[framework]}/${name}`
      const body = bodyOf(route)
      const statuses = [
        await post(address, body, await signWebhook(body, secret)),
        await post(address, body, await signWebhook(body, 'whsec_other')),
        await post(address, `${body} `, await signWebhook(body, secret)),
        await post(address, body, {}),
        await post(address, bodyOf('evt_2', 'FAIL'), await signWebhook(bodyOf('evt_2', 'FAIL'), secret)),
        await post(address.replace(/\w+$/, 'own'), '{"a":1}', {}),
      ]
      expect([route, ...statuses]).toEqual([route, 200, 400, 400, 400, 500, 200])
    }
    const parsed = bodyOf('evt_3')
    expect(await post(`http://127.0.0.1:${ports['express']}/parsed`, parsed, await signWebhook(parsed, secret))).toBe(
      500,
    )
    await untilHolds(() => expect(running.stderr()).toContain('before express.json()'))
    expect(await (await fetch(`http://127.0.0.1:${ports['taken']}`)).json()).toEqual(routes)
  })
})
