// If a request has two faults, the order of the steps decides which one the service reports.

import { afterEach, describe, expect, it } from 'vitest'
import { createNetworks } from '#platform/http-client/addresses.ts'
import type { Caller } from '#businesses/keyring.ts'
import { expectError, expectSuccess, type Answer, type CallOptions } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'

type Faults = { headers: Record<string, string>; method: string; path: string; body: string }

type Fault = {
  name: string
  /** The quota is used up, so every request is refused. */
  exhausted?: boolean
  apply: (request: Faults) => void
  /** Restrictions of the key that the request is sent with. */
  restrictions?: Pick<Caller, 'scopes' | 'allow'>
  expected: [number, string, RegExp]
}

const large = 101 * 1024

/** In the order of the steps. */
const faults: Fault[] = [
  {
    name: 'over the rate limit',
    exhausted: true,
    apply: () => undefined,
    expected: [429, 'RATE_LIMIT_EXCEEDED', /^Over 1 requests/],
  },
  {
    name: 'no such route',
    apply: (request) => (request.path = '/v1/nothing'),
    expected: [404, 'ROUTE_NOT_FOUND', /^No route for (POST|PUT) \/v1\/nothing$/],
  },
  { name: 'wrong method', apply: (request) => (request.method = 'PUT'), expected: [405, 'METHOD_NOT_ALLOWED', /POST/] },
  {
    name: 'unsupported version',
    apply: (request) => (request.headers['X-API-Version'] = 'v2'),
    expected: [400, 'UNSUPPORTED_API_VERSION', /^Supported versions: v1$/],
  },
  {
    name: 'no key',
    apply: (request) => delete request.headers['Authorization'],
    expected: [401, 'UNAUTHORIZED', /^Session not found/],
  },
  {
    name: 'a key for another address',
    apply: () => undefined,
    restrictions: { allow: createNetworks(['192.0.2.0/24']) },
    expected: [403, 'FORBIDDEN', /^This key may not be used from 127\.0\.0\.1\./],
  },
  {
    name: 'a key without the scope',
    apply: () => undefined,
    restrictions: { scopes: new Set(['read', 'payout']) },
    expected: [403, 'FORBIDDEN', /^This key lacks the scope collect\./],
  },
  {
    name: 'body too large',
    apply: (request) => (request.body = request.body.padEnd(large)),
    expected: [413, 'PAYLOAD_TOO_LARGE', /larger than 100 KiB/],
  },
  {
    name: 'wrong content type',
    apply: (request) => (request.headers['Content-Type'] = 'text/plain'),
    expected: [400, 'PARSE_ERROR', /^Could not parse the request body\. Set Content-Type: application\/json\.$/],
  },
  {
    name: 'malformed JSON',
    apply: (request) => (request.body = request.body.replace('{', '{{')),
    expected: [400, 'PARSE_ERROR', /not valid JSON/],
  },
  {
    name: 'wrong field',
    apply: (request) => (request.body = request.body.replace('150000', '"150000"')),
    expected: [400, 'VALIDATION_ERROR', /^amount is an integer in kobo: ₦1,500\.00 is 150000$/],
  },
]

const door = await useFrontDoor()
const exhausted = await useFrontDoor({ settings: { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1' } })
await exhausted.staging.get('/v1/notes')
await exhausted.stranger.get('/staging/v1/notes')

async function send(wrong: Fault[]): Promise<Answer> {
  const at = wrong.some((fault) => fault.exhausted === true) ? exhausted : door
  const restrictions = wrong.map((fault) => fault.restrictions ?? {}).reduce((all, one) => ({ ...all, ...one }), {})
  const key = Object.keys(restrictions).length === 0 ? at.testKey : at.keyring.add('staging', restrictions)
  const request: Faults = {
    method: 'POST',
    path: '/v1/notes',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"reference":"N-1","amount":150000,"title":"A note"}',
  }
  for (const fault of wrong) fault.apply(request)
  const { path, ...options } = request
  // A new key has a quota of its own, which is used up first.
  if (at === exhausted) await at.stranger.call(`/staging${path}`, options satisfies CallOptions)
  return at.stranger.call(`/staging${path}`, options satisfies CallOptions)
}

describe('the first fault in the order of the steps', () => {
  it('is answered when nothing is wrong', async () => {
    expectSuccess(await send([]))
    expect(door.endpoints.handled).toHaveLength(1)
  })

  const pairs = faults.flatMap((first, index) => faults.slice(index + 1).map((second) => ({ first, second })))

  it.each(pairs)('$first.name is told before $second.name', async ({ first, second }) => {
    const before = door.endpoints.handled.length
    expectError(await send([first, second]), ...first.expected)
    expect(door.endpoints.handled).toHaveLength(before)
  })

  it.each(faults.map((first, index) => ({ first, later: faults.slice(index) })))(
    '$first.name is told before everything that comes after it together',
    async ({ first, later }) => {
      expectError(await send(later), ...first.expected)
    },
  )

  it('OPTIONS comes before every refusal', async () => {
    const answer = await exhausted.stranger.call('/nowhere', { method: 'OPTIONS', headers: { 'X-API-Version': 'v9' } })
    expect(answer.status).toBe(204)
  })

  it('a request that is refused for its key or before does not count as a use of the key', async () => {
    const before = door.keyring.touched.length
    for (const fault of faults.slice(1, 6)) await send([fault])
    expect(door.keyring.touched).toHaveLength(before)
    await send([])
    expect(door.keyring.touched).toHaveLength(before + 1)
  })
})

describe('when keys cannot be looked up', () => {
  afterEach(() => (door.keyring.down = false))

  it('an endpoint answers 503 with Retry-After, and never 401', async () => {
    door.keyring.down = true
    const answer = await door.staging.get('/v1/notes')
    expectError(answer, 503, 'SERVICE_UNAVAILABLE')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  })

  it('a request without a key is refused as ever', async () => {
    door.keyring.down = true
    expectError(await door.stranger.get('/staging/v1/notes'), 401, 'UNAUTHORIZED')
  })

  it('health and the API description answer, also to a caller who sends a key', async () => {
    door.keyring.down = true
    expectSuccess(await door.stranger.get('/health'))
    expect((await door.staging.get('/v1/openapi.json')).status).toBe(200)
  })
})

describe('failures of our own', () => {
  it.each(['/v1/broken', '/v1/thrown-text'])('%s answers 500 with one fixed sentence', async (path) => {
    const answer = await door.staging.get(path)
    expectError(
      answer,
      500,
      'INTERNAL_ERROR',
      /^Something went wrong on our side\. It was logged under this request id\.$/,
    )
    expect(answer.text).not.toMatch(/bug of ours|not an Error|\.ts/)
  })

  it('the stack stands in the log under the request id', async () => {
    await door.staging.call('/v1/broken', { headers: { 'X-Request-ID': 'find-me' } })
    const line = door.lines.find((one) => one['requestId'] === 'find-me' && one['level'] === 'error')
    expect(line).toMatchObject({
      error: { type: 'Error', message: 'a bug of ours', stack: expect.stringContaining('test-endpoints.ts') },
    })
  })

  it('an answer that cannot be written costs one connection, not the process', async () => {
    await expect(door.staging.get('/v1/unwritable')).rejects.toThrow(/socket hang up|ECONNRESET/)
    expectSuccess(await door.staging.get('/v1/notes'))
  })

  it('details that only the log may have stay out of the answer', async () => {
    const answer = await door.staging.get('/v1/conflict')
    expectError(answer, 409, 'CONFLICT', 'It exists already.')
    expect(answer.text).not.toContain('the whole truth')
    expect(JSON.stringify(door.lines)).toContain('the whole truth')
  })
})
