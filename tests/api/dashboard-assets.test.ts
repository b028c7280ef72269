// The files of the dashboard as a browser gets them: what may be kept for ever, what never, and what is said while there
// is none.

import { request, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { AssetsState } from '#api/dashboard/assets.ts'
import { useService } from '#tests/support/service.ts'

const page = '<!doctype html><title>Manilla</title>'
const script = 'console.log(1)\n'.repeat(200)
const files = new Map([
  ['index.html', Buffer.from(page)],
  ['assets/main-abc123.js', Buffer.from(script)],
  ['icon.svg', Buffer.from('<svg/>')],
])
let state: AssetsState = { kind: 'ready', files }
const service = await useService({ dashboardSite: () => state, roles: ['api'] })
const root = service.url.replace('127.0.0.1', 'localhost')

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${root}${path}`, { headers, redirect: 'manual' })
}

/** As it is on the wire: fetch would open it. */
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
  ])('leaves compressed to who takes %s', async (accepted, encoding, open) => {
    const { body, headers } = await raw('/dashboard/assets/main-abc123.js', { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers['vary']).toBe('Accept-Encoding')
    expect(body.length).toBeLessThan(script.length / 10)
    expect(open(body).toString()).toBe(script)
  })

  it('is not sent again to who has it', async () => {
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

  it('says that it is being built, and asks for itself again', async () => {
    state = { kind: 'building' }
    const answer = await get('/dashboard')
    state = { kind: 'ready', files }
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await answer.text()).toMatch(/http-equiv="refresh".*is being built/s)
  })

  it('says that it could not be built', async () => {
    state = { kind: 'failed' }
    const answer = await get('/dashboard')
    state = { kind: 'ready', files }
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('could not be built')
  })
})
