// The endpoint for notices of rails: who may post, how much, and what the service stores.

import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from '#tests/support/owner.ts'
import { createClient, expectError, type Answer, type CallOptions } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { aboutNothing, createTellingRail, signed, unsigned } from '#tests/rail-notices/telling-rail.ts'

const clock = createFakeClock()
const service = await useService({
  clock,
  roles: ['api'],
  settings: { RATE_LIMIT_ANONYMOUS_PER_MINUTE: '5' },
  rails: { staging: [createTellingRail('acme', clock)], production: [createTellingRail('bolt', clock)] },
  noticeTokenOf: (rail) => (rail === 'acme' ? 'the-token' : undefined),
})
const stranger = createClient(service.url)
let sent = 0
const body = (): string => aboutNothing(`event ${++sent}`)
const post = (options: CallOptions = {}, path = '/staging/rails/acme/notices'): Promise<Answer> =>
  stranger.call(path, { method: 'POST', headers: signed, body: body(), ...options })

const kept = async (): Promise<number> =>
  Number((await asOwner<{ count: string }>(service.database, 'select count(*) from rail_notice'))[0]?.count)

async function counted(rail: string, outcome: string): Promise<number> {
  const { values } = await service.ctx.metrics.railNotices.get()
  return values.find(({ labels }) => labels.rail === rail && labels.outcome === outcome)?.value ?? Number.NaN
}

beforeAll(() => () => stranger.close())

/** Posts genuine notices from another address of this machine, each on a connection of its own. */
function from(localAddress: string): { post(): Promise<number | undefined> } {
  const { port } = new URL(service.url)
  const path = '/staging/rails/acme/notices'
  return {
    post: () =>
      new Promise((resolve, reject) => {
        const options = { port, localAddress, method: 'POST', path, headers: signed, agent: false }
        const one = request({ ...options, host: '127.0.0.1' }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        one.on('error', reject)
        one.end(body())
      }),
  }
}

/**
 * Sends the first half of this many notices from the address of the other tests; resolves when the service turns one more away.
 */
async function holdHalfSent(count: number): Promise<() => Promise<void>> {
  const { port } = new URL(service.url)
  const slow = Array.from({ length: count }, () => {
    const options = { port, method: 'POST', path: '/staging/rails/acme/notices', headers: { 'Content-Length': 1_000 } }
    const one = request({ ...options, host: '127.0.0.1' })
    one.on('error', () => undefined)
    one.write('x')
    return one
  })
  await untilHolds(async () => {
    clock.advance(1_000)
    expectError(await post({ headers: { 'x-word': 'forged' } }), 429, 'RATE_LIMIT_EXCEEDED')
  })
  return async () => {
    const gone = slow.map(
      (one) =>
        new Promise<void>((resolve) => {
          if (one.closed) resolve()
          else one.on('close', () => resolve())
        }),
    )
    for (const one of slow) one.destroy()
    await Promise.all(gone)
  }
}

describe('200', () => {
  it.each(['POST', 'PUT'])('%s keeps what a rail tells, and answers {}', async (method) => {
    const before = await kept()
    const answer = await post({ method })
    expect(answer).toMatchObject({ status: 200, text: '{}' })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(await kept()).toBe(before + 1)
  })

  it('keeps the same bytes once, sealed, also when they are no text', async () => {
    const bytes = Buffer.from([0, 0xff, 0xfe, 0x80, ...Buffer.from('ADA OBI')])
    const before = await kept()
    const repeated = await counted('acme', 'repeated')
    for (const _ of [1, 2]) expect((await post({ body: bytes })).status).toBe(200)
    expect(await kept()).toBe(before + 1)
    expect(await counted('acme', 'repeated')).toBe(repeated + 1)
    const rows = await asOwner<{ body: Buffer }>(service.database, 'select body from rail_notice')
    expect(rows.filter((row) => row.body.includes('ADA OBI') || row.body.includes('event'))).toEqual([])
  })

  it('takes 900 KiB, of any type', async () => {
    const large = Buffer.alloc(900 * 1024, 7)
    expect((await post({ body: large, headers: { ...signed, 'Content-Type': 'text/xml' } })).status).toBe(200)
  })

  it('is not counted in the quota of strangers', async () => {
    for (let count = 0; count < 8; count++) expect((await post()).status).toBe(200)
  })

  it('takes unsigned notices if the rail allows them and the token fits', async () => {
    const path = '/staging/rails/acme/notices/the-token'
    expect((await post({ headers: unsigned }, path)).status).toBe(200)
  })
})

describe('401', () => {
  it.each([
    ['that is forged', { 'x-word': 'forged' }, '/staging/rails/acme/notices'],
    ['that is forged, whatever its token', { 'x-word': 'forged' }, '/staging/rails/acme/notices/the-token'],
    ['that is unsigned, without the token', unsigned, '/staging/rails/acme/notices'],
    ['that is unsigned, with another token', unsigned, '/staging/rails/acme/notices/the-tokeN'],
    ['that is unsigned, of a rail without a token', unsigned, '/production/rails/bolt/notices/undefined'],
  ])('does not keep one %s, and counts it', async (_, headers, path) => {
    const rail = path.includes('bolt') ? 'bolt' : 'acme'
    const [before, forged] = [await kept(), await counted(rail, 'forged')]
    expectError(await post({ headers }, path), 401, 'UNAUTHORIZED')
    expect(await kept()).toBe(before)
    expect(await counted(rail, 'forged')).toBe(forged + 1)
  })
})

describe('refusals', () => {
  it('404 for a rail of the other environment, for an unknown rail, and without an environment', async () => {
    for (const path of ['/production/rails/acme/notices', '/staging/rails/nobody/notices', '/rails/acme/notices'])
      expectError(await post({}, path), 404, 'ROUTE_NOT_FOUND')
  })

  it('405 for reading', async () => {
    expectError(await post({ method: 'GET', body: undefined }), 405, 'METHOD_NOT_ALLOWED')
  })

  it('400 for a compressed body, 413 for more than 1 MiB', async () => {
    expectError(await post({ headers: { ...signed, 'Content-Encoding': 'gzip' } }), 400, 'PARSE_ERROR')
    expectError(await post({ body: Buffer.alloc(1024 * 1024 + 1) }), 413, 'PAYLOAD_TOO_LARGE')
  })

  it('429 for more than 200 genuine ones of one rail in a second, and none for the other', async () => {
    clock.advance(1_000)
    const away = await counted('acme', 'turned-away')
    let last = 0
    for (let count = 0; count <= 200; count++) last = (await post()).status
    expect(last).toBe(429)
    expect((await post({}, '/production/rails/bolt/notices')).status).toBe(200)
    expect(await counted('acme', 'turned-away')).toBe(away + 1)
    // A second has passed. The clock is slowed down and shows half of it.
    clock.advance(1_000)
    clock.set(-500)
    expect((await post()).status).toBe(200)
    clock.set(500)
  })

  it('429 to a network that sent 100 notices that are not genuine in a second, and 200 to the rail from another network', async () => {
    clock.advance(1_000)
    const rail = from('127.0.7.1')
    for (let count = 0; count < 100; count++) expect((await post({ headers: { 'x-word': 'forged' } })).status).toBe(401)
    expectError(await post({ headers: { 'x-word': 'forged' } }), 429, 'RATE_LIMIT_EXCEEDED')
    expect(await rail.post()).toBe(200)
    clock.advance(1_000)
    expect((await post()).status).toBe(200)
  })

  it('takes a genuine notice while a stranger without a key holds 64 half-sent requests', async () => {
    const stop = await holdHalfSent(64)
    const rail = from('127.0.7.1')
    for (let count = 0; count < 20; count++) expect(await rail.post()).toBe(200)
    await stop()
  })

  it('429 while 64 of one network are under way, until they have gone', async () => {
    clock.advance(1_000)
    const stop = await holdHalfSent(64)
    await stop()
    await untilHolds(async () => {
      clock.advance(1_000)
      expect((await post()).status).toBe(200)
    })
  })

  it('400 to a body that takes longer than five seconds, however it drips', async () => {
    const { port } = new URL(service.url)
    const headers = { 'Content-Length': 1_000 }
    const slow = request({ port, method: 'POST', path: '/staging/rails/acme/notices', headers })
    const drip = setInterval(() => slow.write('.'), 500)
    const began = performance.now()
    const status = await new Promise((resolve, reject) => {
      slow.on('response', (response) => resolve(response.statusCode))
      slow.on('error', reject)
    })
    clearInterval(drip)
    slow.destroy()
    expect(status).toBe(400)
    expect(performance.now() - began).toBeGreaterThan(4_500)
  })

  it('is in no API description', async () => {
    clock.advance(60_000)
    const { text } = await stranger.get('/v1/openapi.json')
    expect(text).toContain('/v1/transfers/initiate')
    expect(text).not.toContain('notices')
  })

  it('does not tell the token to the log', async () => {
    await post({ headers: { 'x-word': 'forged' } }, '/staging/rails/acme/notices/secret-of-the-path')
    const lines = service.lines.filter((line) => line.includes('/rails/:rail/notices'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((line) => line.includes('secret-of-the-path'))).toEqual([])
  })
})
