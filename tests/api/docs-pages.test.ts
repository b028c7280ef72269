// The documentation in the browser: the reference, the guides beside it, and the way there.

import { describe, expect, it } from 'vitest'
import { startScript } from '#api/docs/pages.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'

const door = await useFrontDoor()
const guides = ['webhooks', 'events', 'retries', 'errors', 'simulator', 'going-live', 'spec']
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address)

describe.each(['', '/staging', '/production'])('GET / below %j', (prefix) => {
  it.each(['', '/'])('leads a browser to the reference (%j)', async (slash) => {
    const path = `${prefix}${slash}`
    const answer = await door.stranger.call(path, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    expect([answer.status, answer.headers.location, answer.headers.vary]).toEqual([302, `${prefix}/docs`, 'Accept'])
    expect((await door.stranger.get(`${prefix}/docs`)).status).toBe(200)
  })

  it.each([{}, { Accept: 'application/json' }, { Accept: '*/*' }])(
    'tells a program where everything is (%j)',
    async (headers) => {
      const data = expectSuccess(await door.stranger.call(`${prefix}/`, { headers }))
      const environments = { staging: `${door.url}/staging`, production: `${door.url}/production` }
      expect(data).toEqual({ reference: `${prefix}/docs`, openapi: `${prefix}/v1/openapi.json`, environments })
      for (const path of [data.reference, data.openapi]) expect((await door.stranger.get(path)).status).toBe(200)
    },
  )
})

it('POST / is refused, and says what there is', async () => {
  expectError(await door.stranger.post('/', {}), 405, 'METHOD_NOT_ALLOWED')
})

describe.each(['', '/staging'])('the guides below %j', (prefix) => {
  it.each(guides)('%s is a page of its own, and each of its links leads somewhere', async (guide) => {
    const page = await door.stranger.get(`${prefix}/docs/${guide}`)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toMatch(/<main><h1 id="[\w-]+">/)
    const own = addressesIn(page.text).filter((address) => !/^(https?|data):/.test(address))
    expect(own).toEqual(expect.arrayContaining([`${prefix}/docs`, ...guides.map((name) => `${prefix}/docs/${name}`)]))
    for (const address of new Set(own)) {
      const [path = '', fragment] = address.split('#')
      const there = path === '' ? page : await door.stranger.get(path)
      expect([address, there.status]).toEqual([address, 200])
      expect(fragment === undefined || there.text.includes(`id="${fragment}"`), address).toBe(true)
    }
  })

  it.each(guides)('%s runs no script and loads nothing from elsewhere', async (guide) => {
    const { headers, text } = await door.stranger.get(`${prefix}/docs/${guide}`)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; img-src data:;/)
    expect(text).not.toContain('<script')
  })
})

describe('the reference', () => {
  it('has the guides in its menu', async () => {
    const { text } = await door.stranger.get('/docs')
    expect(addressesIn(text)).toEqual(expect.arrayContaining(guides.map((guide) => `/docs/${guide}`)))
  })

  it('lets what is tried out go to this service alone', async () => {
    const own = await useFrontDoor({ settings: { PRODUCTION_BASE_URL: 'https://pay.example.com/api' } })
    const policy = String((await own.stranger.get('/docs')).headers['content-security-policy'])
    const allowed = /connect-src ([^;]+)/.exec(policy)?.[1]?.split(' ')
    expect(allowed).toEqual(["'self'", own.url, 'https://pay.example.com'])
  })
})

describe('what the reference runs', () => {
  it('is apart from the dashboard of the same address: of no origin, and without its cookies', async () => {
    const policy = String((await door.stranger.get('/docs')).headers['content-security-policy'])
    expect(policy.split('; ')).toContain('sandbox allow-scripts allow-forms allow-popups')
  })

  it('keeps no key, which a page of no origin could not', () => {
    expect(startScript('')).toContain('persistAuthorization: false')
    expect(startScript('')).not.toMatch(/sessionStorage|localStorage/)
  })
})
