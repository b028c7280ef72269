// The files of the dashboard as a browser receives them, their caching, and the answer while they are not built.

import { writeFile } from 'node:fs/promises'
import { request, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readDashboardBuild } from '#api/dashboard/assets.ts'
import { newFolder } from '#tests/support/run.ts'
import { startService, useService } from '#tests/support/service.ts'

const page = '<!doctype html><title>Manilla</title>'
const script = 'console.log(1)\n'.repeat(200)
const files = new Map([
  ['index.html', Buffer.from(page)],
  ['assets/main-abc123.js', Buffer.from(script)],
  ['icon.svg', Buffer.from('<svg/>')],
])
const service = await useService({ dashboardFiles: files, roles: ['api'] })
const root = service.url.replace('127.0.0.1', 'localhost')

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${root}${path}`, { headers, redirect: 'manual' })
}

/** The response as it was sent: fetch would decompress it. */
async function raw(
  path: string,
  headers: Record<string, string>,
): Promise<{ body: Buffer; headers: IncomingHttpHeaders }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ body: Buffer; headers: IncomingHttpHeaders }>()
  request(`${root}${path}`, { headers }, (answer) => {
    buffer(answer).then((body) => resolve({ body, headers: answer.headers }), reject)
  })
    .on('error', reject)
    .end()
  return promise
}

describe('a file', () => {
  it('with a fingerprint in its name is kept for ever', async () => {
    const answer = await get('/dashboard/assets/main-abc123.js')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await answer.text()).toBe(script)
  })

  it('leaves under the policy of the dashboard', async () => {
    const answer = await get('/dashboard/assets/main-abc123.js')
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip;q=0.5, br', 'br', brotliDecompressSync],
  ])('is sent compressed to a browser that accepts %s', async (accepted, encoding, open) => {
    const { body, headers } = await raw('/dashboard/assets/main-abc123.js', { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers['vary']).toBe('Accept-Encoding')
    expect(body.length).toBeLessThan(script.length / 10)
    expect(open(body).toString()).toBe(script)
  })

  it('is not sent again to a browser that has it', async () => {
    const first = await get('/dashboard/icon.svg')
    const etag = first.headers.get('etag') ?? ''
    const again = await get('/dashboard/icon.svg', { 'If-None-Match': `"other", ${etag}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get('/dashboard/icon.svg', { 'If-None-Match': '"other"' })).status).toBe(200)
  })
})

describe('the page', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/sign-in',
    '/dashboard/b/biz_1/staging/payments/../x',
    '/dashboard/assets/gone-1.js',
  ])('is what %s leads to, and is asked for each time', async (path) => {
    const answer = await get(path)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await answer.text()).toBe(page)
  })
})

describe('without a build', () => {
  it('the pages say what to do, and the API serves', async () => {
    const without = await startService({ roles: ['api'] })
    const url = without.url.replace('127.0.0.1', 'localhost')
    const answer = await fetch(`${url}/dashboard`)
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('npm run build')
    expect((await fetch(`${url}/health`)).status).toBe(200)
    await without.stop()
  })

  it('a folder that lacks the page or the fingerprint counts as no build', async () => {
    const folder = await newFolder('build')
    expect(await readDashboardBuild(folder)).toBeUndefined()
    await writeFile(join(folder, 'index.html'), page)
    expect(await readDashboardBuild(folder)).toBeUndefined()
    await writeFile(join(folder, 'fingerprint'), 'abc')
    expect([...((await readDashboardBuild(folder)) ?? [])]).toEqual([['index.html', Buffer.from(page)]])
  })
})
