// An address leads to an environment and an endpoint.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor, type FrontDoor } from '#tests/support/front-door.ts'
import { askRaw } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()

/** Sends the request line as it stands. */
async function get(at: FrontDoor, target: string, headers: Record<string, string>): Promise<Answer> {
  const lines = Object.entries(headers).map((pair) => `${pair.join(': ')}\r\n`)
  const answer = await askRaw(at.port, `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  if (answer === undefined) throw new Error('no answer')
  return answer
}
const key = (text: string): Record<string, string> => ({ Host: 'a', Authorization: `Bearer ${text}` })

describe('404', () => {
  it.each([
    '/v1/nothing',
    '/v1',
    '/v1/',
    '/v2/notes',
    '/V1/notes',
    '/v1/Notes',
    '/v1//notes',
    '//v1/notes',
    '/v1/notes/N-1/more',
    '/v1/notes%2fN-1',
  ])('%s is no route, and is named', async (path) => {
    const answer = await get(door, `/staging${path}`, key(door.testKey))
    expectError(answer, 404, 'ROUTE_NOT_FOUND')
    expect(answer.body.error?.message).toBe(`No route for GET ${path}`)
  })

  it.each(['/v1/notes', '/stagingv1/notes', '/Staging/v1/notes', '/staging2/v1/notes', '/production1'])(
    '%s belongs to no environment, and the answer says what does',
    async (path) => {
      const answer = await get(door, path, key(door.testKey))
      expectError(answer, 404, 'ROUTE_NOT_FOUND')
      expect(answer.body.error?.message).toBe(
        `No route for GET ${path}. Addresses begin with ${door.url}/staging or ${door.url}/production`,
      )
    },
  )

  it('shows a long path in part, and never its query', async () => {
    const answer = await get(door, `/staging/v1/${'x'.repeat(5_000)}?secret=1`, key(door.testKey))
    expect(answer.body.error?.message.length).toBeLessThan(250)
    expect((await get(door, '/staging/v1/nothing?secret=1', key(door.testKey))).text).not.toContain('secret')
  })

  it('a path that does not decode is shown as it came', async () => {
    const answer = await get(door, '/staging/v1/%zz', key(door.testKey))
    expectError(answer, 404, 'ROUTE_NOT_FOUND', /^No route for GET \/v1\/%zz$/)
  })

  it('text from the path cannot break out of the answer', async () => {
    const answer = await get(door, '/staging/v1/"},"success":true,%0d%0aSet-Cookie:a<script>', key(door.testKey))
    expectError(answer, 404, 'ROUTE_NOT_FOUND')
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

describe('405', () => {
  it.each([
    ['DELETE', '/v1/notes', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/v1/notes', 'GET, HEAD, POST, OPTIONS'],
    ['PROPFIND', '/v1/notes', 'GET, HEAD, POST, OPTIONS'],
    ['TRACE', '/v1/notes', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/v1/notes/N-1', 'GET, HEAD, PATCH, OPTIONS'],
    ['GET', '/v1/nudges', 'POST, OPTIONS'],
    ['HEAD', '/v1/nudges', 'POST, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
  ])('%s %s says what it answers to', async (method, path, allowed) => {
    const answer = await door.staging.call(path, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe(allowed)
    if (method !== 'HEAD') expectError(answer, 405, 'METHOD_NOT_ALLOWED')
  })
})

describe('a found route', () => {
  it.each(['/v1/notes', '/v1/notes/', '/v1/n%6ftes', '/v1/notes?', '/v1/notes/?page=1', '/v1/notes#part'])(
    '%s is the list',
    async (path) => {
      expect(expectSuccess(await get(door, `/staging${path}`, key(door.testKey))).notes).toHaveLength(20)
    },
  )

  it.each(['/v1/notes/N-1', '/v1/notes/N-1/', '/v1/notes/%4E-1', '/v1/notes/N%2D1'])('%s is the one', async (path) => {
    expect(expectSuccess(await get(door, `/staging${path}`, key(door.testKey)))).toEqual({ reference: 'N-1' })
  })

  it.each(['GET', 'HEAD'])('%s does not take a word of the path for a method', async (method) => {
    expect((await door.staging.call('/v1/notes/POST', { method })).status).toBe(200)
  })

  it.each(['%zz', '%', '%E0%A4%A', '%ff', 'N%-1'])('%s in it is a malformed percent-encoding', async (reference) => {
    const answer = await get(door, `/staging/v1/notes/${reference}`, key(door.testKey))
    expectError(answer, 400, 'VALIDATION_ERROR', /malformed percent-encoding/)
    expect(answer.body.error?.details?.[0]?.field).toBe('path')
  })

  it('NUL in it is refused', async () => {
    expectError(await get(door, '/staging/v1/notes/a%00b', key(door.testKey)), 400, 'VALIDATION_ERROR', /NUL/)
  })

  it('a malformed path is reported after a wrong key', async () => {
    expectError(await get(door, '/staging/v1/notes/%zz', { Host: 'a' }), 401, 'UNAUTHORIZED')
  })

  it.each(['%2e%2e', '..%2f..', 'a%2Fb', '__proto__', 'x'.repeat(8_000), '%F0%9F%98%80', '%0d%0aA:b'])(
    '%s is judged as a reference',
    async (reference) => {
      expectError(
        await get(door, `/staging/v1/notes/${reference}`, key(door.testKey)),
        400,
        'VALIDATION_ERROR',
        /^reference must/,
      )
    },
  )
})

describe('the absolute form', () => {
  it.each(['http://a', 'HTTP://a', 'https://a:4000', 'http://user@a', 'http://'])(
    '%s before the path changes nothing',
    async (origin) => {
      expectSuccess(await get(door, `${origin}/staging/v1/notes?page=1`, key(door.testKey)))
    },
  )

  it.each(['http://a/nothing', 'http://a/nothing?b', 'ftp://a/staging/v1/notes', 'a/staging/v1/notes', '*'])(
    '%s finds nothing, and breaks nothing',
    async (target) => {
      const answer = await get(door, target, key(door.testKey))
      expect([400, 404]).toContain(answer.status)
      expect(answer.body.success).toBe(false)
    },
  )
})

describe('base addresses of their own', () => {
  const settings = {
    STAGING_BASE_URL: 'https://pay.example.com/api/sandbox/',
    PRODUCTION_BASE_URL: 'https://pay.example.com/api',
  }

  it('give the prefixes, the longer one first, for any host', async () => {
    const own = await useFrontDoor({ settings })
    for (const host of ['pay.example.com', 'other.example.com', '127.0.0.1:4000']) {
      expectSuccess(await get(own, '/api/v1/notes', { ...key(own.liveKey), Host: host }))
      expectSuccess(await get(own, '/api/sandbox/v1/notes', { ...key(own.testKey), Host: host }))
    }
    expectError(
      await get(own, '/api/v1/notes', key(own.testKey)),
      401,
      'UNAUTHORIZED',
      /This key belongs to https:\/\/pay\.example\.com\/api\/sandbox\.$/,
    )
    expectError(
      await get(own, '/staging/v1/notes', key(own.testKey)),
      404,
      'ROUTE_NOT_FOUND',
      /Addresses begin with https:\/\/pay/,
    )
    expectError(await get(own, '/apis/v1/notes', key(own.liveKey)), 404, 'ROUTE_NOT_FOUND')
    expectError(
      await get(own, '/api/sandboxed/v1/notes', key(own.liveKey)),
      404,
      'ROUTE_NOT_FOUND',
      /^No route for GET \/sandboxed/,
    )
  })

  it('without prefixes are told apart by Host, in any case, with or without the usual port', async () => {
    const own = await useFrontDoor({
      settings: { STAGING_BASE_URL: 'https://sandbox.example.com', PRODUCTION_BASE_URL: 'https://api.example.com' },
    })
    for (const host of ['api.example.com', 'API.Example.COM', 'api.example.com:443', 'api.example.com:80']) {
      expectSuccess(await get(own, '/v1/notes', { ...key(own.liveKey), Host: host }))
      expectError(
        await get(own, '/v1/notes', { ...key(own.testKey), Host: host }),
        401,
        'UNAUTHORIZED',
        /belongs to https:\/\/sandbox/,
      )
    }
    expectSuccess(await get(own, '/v1/notes', { ...key(own.testKey), Host: 'sandbox.example.com' }))
    expectSuccess(
      await get(own, 'https://api.example.com/v1/notes', { ...key(own.liveKey), Host: 'sandbox.example.com' }),
    )
    expectSuccess(await get(own, '/health', { Host: '10.0.0.1' }))
  })

  it('with the same prefix are told apart by Host, port included', async () => {
    const own = await useFrontDoor({
      settings: { STAGING_BASE_URL: 'http://pay.local:8081/pay', PRODUCTION_BASE_URL: 'http://pay.local:8082/pay' },
    })
    expectSuccess(await get(own, '/pay/v1/notes', { ...key(own.testKey), Host: 'pay.local:8081' }))
    expectSuccess(await get(own, '/pay/v1/notes', { ...key(own.liveKey), Host: 'pay.local:8082' }))
  })
})

describe('one environment alone', () => {
  it.each([
    ['staging', 'production'],
    ['production', 'staging'],
  ] as const)('%s is served, %s is not', async (here, there) => {
    const own = await useFrontDoor({ settings: { ENVIRONMENTS: here } })
    const [mine, other] = here === 'staging' ? [own.testKey, own.liveKey] : [own.liveKey, own.testKey]
    expectSuccess(await get(own, `/${here}/v1/notes`, key(mine)))
    expectError(await get(own, `/${there}/v1/notes`, key(other)), 404, 'ROUTE_NOT_FOUND')
    expectError(
      await get(own, `/${here}/v1/notes`, key(other)),
      401,
      'UNAUTHORIZED',
      new RegExp(`the ${there} environment, which is not served here`),
    )
  })
})
