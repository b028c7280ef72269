// Headers that every response carries, from any step of the pipeline.

import { describe, expect, it } from 'vitest'
import { apiErrorStatus } from '#platform/errors.ts'
import { expectCommonHeaders, type Answer } from '#tests/support/client.ts'
import { useFrontDoor, type FrontDoor } from '#tests/support/front-door.ts'
import { askRaw } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()
const exhausted = await useFrontDoor({ settings: { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1' } })
await exhausted.staging.get('/v1/notes')

const large = Buffer.alloc(101 * 1024, ' ')
const note = { reference: 'N-1', amount: 1, title: 'A note' }
const raw =
  (bytes: string) =>
  async (at: FrontDoor): Promise<Answer> => {
    const answer = await askRaw(at.port, bytes)
    if (answer === undefined) throw new Error('no answer')
    return answer
  }

const answers: [string, number, (at: FrontDoor) => Promise<Answer>][] = [
  ['a read', 200, (at) => at.staging.get('/v1/notes')],
  ['a write', 200, (at) => at.staging.post('/v1/notes', note)],
  ['a replay', 200, (at) => at.staging.post('/v1/notes', { ...note, title: 'again' })],
  ['HEAD', 200, (at) => at.staging.call('/v1/notes', { method: 'HEAD' })],
  ['HEAD of a page', 200, (at) => at.stranger.call('/health', { method: 'HEAD' })],
  ['HEAD of nothing', 404, (at) => at.staging.call('/v1/nothing', { method: 'HEAD' })],
  ['an unknown route', 404, (at) => at.staging.get('/v1/nothing')],
  ['an address outside both environments', 404, (at) => at.stranger.get('/nowhere')],
  ['a wrong method', 405, (at) => at.staging.delete('/v1/notes')],
  ['an unsupported version', 400, (at) => at.staging.call('/v1/notes', { headers: { 'X-API-Version': 'v2' } })],
  ['no key', 401, (at) => at.stranger.get('/staging/v1/notes')],
  ['a body too large', 413, (at) => at.staging.call('/v1/notes', { method: 'POST', body: large })],
  ['no content type', 400, (at) => at.staging.call('/v1/notes', { method: 'POST', body: '{}' })],
  ['wrong fields', 400, (at) => at.staging.post('/v1/notes', {})],
  ['a conflict', 409, (at) => at.staging.get('/v1/conflict')],
  ['a bug of ours', 500, (at) => at.staging.get('/v1/broken')],
  ['a full queue', 503, (at) => at.staging.get('/v1/full')],
  ['OPTIONS', 204, (at) => at.stranger.call('/staging/v1/notes', { method: 'OPTIONS' })],
  ['OPTIONS of nothing', 204, (at) => at.stranger.call('/nowhere', { method: 'OPTIONS' })],
  ['OPTIONS *', 204, raw('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')],
  ['health', 200, (at) => at.stranger.get('/health')],
  ['ready', 200, (at) => at.stranger.get('/ready')],
  ['metrics', 200, (at) => at.stranger.get('/metrics')],
  ['the API description', 200, (at) => at.stranger.get('/v1/openapi.json')],
  ['the first page of the documentation', 200, (at) => at.stranger.get('/docs')],
  ['a script of the documentation', 200, (at) => at.stranger.get('/docs/start.js')],
  ['a page by a wrong method', 405, (at) => at.stranger.call('/health', { method: 'POST' })],
  ['no Host', 400, raw('GET /health HTTP/1.1\r\n\r\n')],
  ['what is not HTTP', 400, raw('nonsense\r\n\r\n')],
  ['headers too large', 400, raw(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)],
  ['CONNECT', 404, raw('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n')],
  ['HTTP/1.0', 200, raw('GET /health HTTP/1.0\r\n\r\n')],
]

const limited: [string, number, (at: FrontDoor) => Promise<Answer>][] = [
  ['over a tenant’s quota', 429, () => exhausted.staging.get('/v1/notes')],
  [
    'over an address’s quota',
    429,
    async () => (
      await exhausted.stranger.get('/health'),
      await exhausted.stranger.get('/'),
      exhausted.stranger.get('/')
    ),
  ],
]

const exposed =
  'X-Request-ID, X-API-Version, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed'

/** The envelope is complete and has no other field; pages that are not JSON, and pages of other servers, have none. */
function isWhole({ status, headers, text, body }: Answer): boolean {
  const json = headers['content-type']?.startsWith('application/json') === true
  if (!json || text === '' || 'openapi' in body) return true
  const names = Object.keys(body).toString()
  const sound = status < 400 ? /^success,data(,meta)?,requestId$/ : /^success,error,requestId,timestamp$/
  return sound.test(names) && body.success === status < 400 && body.requestId === headers['x-request-id']
}

describe.each([...answers, ...limited])('%s', (name, status, ask) => {
  it(`answers ${status} with the five headers, for every origin`, async () => {
    const answer = await ask(door)
    expect(answer.status).toBe(status)
    expectCommonHeaders(answer.headers)
    const forAnyOrigin = name !== 'metrics'
    expect(answer.headers['access-control-allow-origin']).toBe(forAnyOrigin ? '*' : undefined)
    expect(answer.headers['access-control-expose-headers']).toBe(forAnyOrigin ? exposed : undefined)
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(isWhole(answer)).toBe(true)
  })
})

describe('answers without a body', () => {
  it('HEAD announces what GET would send, and sends nothing', async () => {
    const [get, head] = [await door.staging.get('/v1/notes'), await door.staging.call('/v1/notes', { method: 'HEAD' })]
    expect(head.text).toBe('')
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.text))
  })

  it('OPTIONS tells what may be sent from a browser, for a day', async () => {
    const { headers, text } = await door.stranger.call('/staging/v1/notes', { method: 'OPTIONS' })
    expect(text).toBe('')
    expect(headers).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'Origin, Content-Type, Accept, Authorization, X-Request-ID, X-API-Version',
      'access-control-max-age': '86400',
    })
  })
})

describe('the envelope', () => {
  it('of an error has a code of a closed list, and each code has one status', () => {
    expect(apiErrorStatus).toEqual({
      PARSE_ERROR: 400,
      VALIDATION_ERROR: 400,
      UNSUPPORTED_API_VERSION: 400,
      TRANSFER_NOT_FOUND: 400,
      COLLECTION_NOT_FOUND: 400,
      INVALID_BANK: 400,
      ACCOUNT_NOT_RESOLVED: 400,
      INSUFFICIENT_BALANCE: 400,
      LIMIT_EXCEEDED: 400,
      INVALID_OPERATOR: 400,
      PHONE_NOT_RESOLVED: 400,
      INVALID_OTP: 400,
      OTP_EXPIRED: 400,
      UNAUTHORIZED: 401,
      FORBIDDEN: 403,
      PAYOUTS_PAUSED: 403,
      NOT_FOUND: 404,
      ROUTE_NOT_FOUND: 404,
      METHOD_NOT_ALLOWED: 405,
      CONFLICT: 409,
      PAYLOAD_TOO_LARGE: 413,
      RATE_LIMIT_EXCEEDED: 429,
      INTERNAL_ERROR: 500,
      SERVICE_UNAVAILABLE: 503,
    })
  })

  it('of an error says when it happened', async () => {
    const { body } = await door.stranger.get('/staging/v1/notes')
    expect(body.timestamp).toBe(new Date(door.clock.now()).toISOString())
    expect(Object.keys(body)).toEqual(['success', 'error', 'requestId', 'timestamp'])
  })

  it('marks a replay, and nothing else', async () => {
    const replay = await door.staging.post('/v1/notes', { ...note, title: 'again' })
    expect(replay.headers['idempotent-replayed']).toBe('true')
    const first = await door.staging.post('/v1/notes', note)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
  })
})

describe('the request id', () => {
  const idOf = async (sent: string): Promise<string | undefined> => {
    const answer = await askRaw(door.port, Buffer.from(`GET /health HTTP/1.1\r\nHost: a\r\n${sent}\r\n`, 'latin1'))
    expect(answer?.status).toBe(200)
    expect(answer?.body.requestId).toBe(answer?.headers['x-request-id'])
    return answer?.body.requestId
  }
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  it.each(['a', '!~"<>{}\\;:%0d%0a', 'x'.repeat(128)])('%s is taken', async (id) => {
    expect(await idOf(`X-Request-ID: ${id}\r\n`)).toBe(id)
  })

  it.each([
    ['absent', ''],
    ['empty', 'X-Request-ID:\r\n'],
    ['spaces', 'X-Request-ID: a b\r\n'],
    ['a tab', 'X-Request-ID: a\tb\r\n'],
    ['129 characters', `X-Request-ID: ${'x'.repeat(129)}\r\n`],
    ['not ASCII', 'X-Request-ID: \xe9t\xe9\r\n'],
    ['two of them', 'X-Request-ID: a\r\nX-Request-ID: b\r\n'],
  ])('%s is replaced by a UUID, and no error', async (_name, sent) => {
    expect(await idOf(sent)).toMatch(uuid)
  })

  it('differs from request to request', async () => {
    expect(await idOf('')).not.toBe(await idOf(''))
  })

  it('a line break in it ends the request, and never adds a header to an answer', async () => {
    const answer = await askRaw(door.port, 'GET /health HTTP/1.1\r\nHost: a\r\nX-Request-ID: a\nSet-Cookie: b\r\n\r\n')
    expect(answer?.headers['set-cookie']).toBeUndefined()
    expect(answer?.status).toBeLessThan(500)
  })

  it('of CONNECT is its own, too', async () => {
    const answer = await askRaw(door.port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\n\r\n')
    expect(answer?.body.requestId).toBe('mine')
  })
})

describe('the log', () => {
  it('never holds a key, a secret or an account number, whatever failed', async () => {
    const secrets = [door.testKey, door.liveKey, 'sk_test_wrong', 'whsec_private', '0123456789']
    const body = {
      reference: 'N-1',
      amount: 'no',
      title: 'whsec_private',
      accountNumber: '0123456789',
      otp: '0123456789',
    }
    await door.staging.post('/v1/notes', body)
    await door.staging.get('/v1/broken?accountNumber=0123456789&secret=whsec_private')
    await door.staging.get('/v1/nothing/0123456789/whsec_private')
    await door.stranger.call('/staging/v1/notes', { headers: { Authorization: 'Bearer sk_test_wrong' } })
    await door.stranger.call('/production/v1/notes', { headers: { Authorization: `Bearer ${door.testKey}` } })
    await door.staging.call('/v1/notes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":"whsec_private"',
    })
    expect(door.lines.length).toBeGreaterThan(5)
    const log = JSON.stringify(door.lines)
    for (const secret of secrets) expect(log).not.toContain(secret)
  })
})

describe('the metrics', () => {
  it('know routes, never what a caller made up', async () => {
    for (const path of ['/v1/made-up-1', '/v1/notes/made-up-2', '/made-up-3', '/v1/notes?made-up-4'])
      await door.staging.get(path)
    await door.stranger.call('/staging/v1/notes', { method: 'PROPFIND' })
    const { text } = await door.stranger.get('/metrics')
    expect(text).toContain('manilla_http_requests_total{route="/v1/notes/:reference",status="200"}')
    expect(text).not.toMatch(/made-up|PROPFIND/)
  })
})
