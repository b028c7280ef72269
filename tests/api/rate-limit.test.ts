// A fixed window of a minute, aligned to the Unix minute: one count for each tenant, one for each address without a key.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createQuotaCounter } from '#businesses/quota.ts'
import { parseConfig } from '#config.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { startFrontDoor, type FrontDoor } from '#tests/support/front-door.ts'
import { askRaw } from '#tests/support/raw-http.ts'

const perTenant = 5
const perAddress = 3
let door: FrontDoor

beforeEach(async () => {
  door = await startFrontDoor({
    settings: { RATE_LIMIT_PER_MINUTE: String(perTenant), RATE_LIMIT_ANONYMOUS_PER_MINUTE: String(perAddress) },
  })
})
afterEach(() => door.stop())

type Shown = { limit: number; remaining: number; reset: number }

function shown({ headers }: Answer): Shown {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`x-ratelimit-${name}`]),
  )
  return { limit: limit ?? NaN, remaining: remaining ?? NaN, reset: reset ?? NaN }
}

const asStranger = (): Promise<Answer> => door.stranger.get('/staging/v1/notes')
const minuteEnd = (): number => (Math.floor(door.clock.now() / 60_000) + 1) * 60

describe('a tenant', () => {
  it('may send a limited number of requests in a minute, and is then told how long to wait', async () => {
    door.clock.advance(12_345)
    for (let left = perTenant - 1; left >= 0; left--) {
      const answer = await door.staging.get('/v1/notes')
      expectSuccess(answer)
      expect(shown(answer)).toEqual({ limit: perTenant, remaining: left, reset: minuteEnd() })
      expect(answer.headers['retry-after']).toBeUndefined()
    }
    for (let more = 0; more < 3; more++) {
      const answer = await door.staging.get('/v1/notes')
      expectError(answer, 429, 'RATE_LIMIT_EXCEEDED', /Try again in 48 s\.$/)
      expect(shown(answer)).toEqual({ limit: perTenant, remaining: 0, reset: minuteEnd() })
      expect(answer.headers['retry-after']).toBe('48')
    }
  })

  it('over the limit, nothing is executed', async () => {
    const body = { reference: 'N-1', amount: 1, title: 'A note' }
    const answers = await Promise.all(Array.from({ length: perTenant * 3 }, () => door.staging.post('/v1/notes', body)))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(perTenant)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(perTenant * 2)
    expect(door.endpoints.handled).toHaveLength(perTenant)
  })

  it('starts afresh exactly on the minute', async () => {
    for (let index = 0; index <= perTenant; index++) await door.staging.get('/v1/notes')
    const untilMinuteMs = 60_000 - (door.clock.now() % 60_000)
    door.clock.advance(untilMinuteMs - 1)
    const last = await door.staging.get('/v1/notes')
    expectError(last, 429, 'RATE_LIMIT_EXCEEDED')
    expect(last.headers['retry-after']).toBe('1')
    door.clock.advance(1)
    const first = await door.staging.get('/v1/notes')
    expect(shown(first)).toEqual({ limit: perTenant, remaining: perTenant - 1, reset: door.clock.now() / 1000 + 60 })
  })

  it('counts the requests of all keys of a tenant together, whatever the answers; each environment has its own count', async () => {
    await door.staging.get('/v1/nothing')
    await door.staging.post('/v1/notes', {})
    await door.staging.delete('/v1/notes')
    expect(shown(await door.staging.get('/v1/notes')).remaining).toBe(perTenant - 4)
    expect(shown(await door.production.get('/v1/notes')).remaining).toBe(perTenant - 1)
  })
})

describe('an address without a valid key', () => {
  it('has a count of its own, the same for every key that opens nothing', async () => {
    const wrong: Record<string, string>[] = [
      {},
      { Authorization: 'Bearer sk_test_wrong' },
      { Authorization: `Bearer ${door.liveKey}` },
    ]
    for (const [index, headers] of wrong.entries()) {
      const answer = await door.stranger.call('/staging/v1/notes', { headers })
      expectError(answer, 401, 'UNAUTHORIZED')
      expect(shown(answer)).toMatchObject({ limit: perAddress, remaining: perAddress - 1 - index })
    }
    expectError(await asStranger(), 429, 'RATE_LIMIT_EXCEEDED')
    expectSuccess(await door.staging.get('/v1/notes'))
  })

  it('counts the reference pages', async () => {
    for (let index = 0; index < perAddress; index++)
      expect((await door.stranger.get('/v1/openapi.json')).status).toBe(200)
    expectError(await door.stranger.get('/v1/openapi.json'), 429, 'RATE_LIMIT_EXCEEDED')
  })
})

describe('without settings', () => {
  it('a tenant may ask 60 000 times a minute, an address 600 times', () => {
    expect(parseConfig({})).toMatchObject({ rateLimitPerMinute: 60_000, rateLimitAnonymousPerMinute: 600 })
  })
})

describe('free of charge', () => {
  it.each(['/health', '/ready', '/metrics'])('%s counts nothing and is never refused', async (path) => {
    for (let index = 0; index <= perAddress; index++) await asStranger()
    const answer = await door.stranger.get(path)
    expect(answer.status).toBe(200)
    expect(shown(answer)).toEqual({ limit: perAddress, remaining: 0, reset: minuteEnd() })
    door.clock.advance(60_000)
    for (let index = 0; index < perAddress * 2; index++) await door.stranger.get(path)
    expect(shown(await asStranger()).remaining).toBe(perAddress - 1)
  })

  it('OPTIONS counts nothing and is never refused', async () => {
    for (let index = 0; index < perAddress * 2; index++) {
      const answer = await door.stranger.call('/staging/v1/notes', { method: 'OPTIONS' })
      expect(answer.status).toBe(204)
      expect(shown(answer).remaining).toBe(perAddress)
    }
    for (let index = 0; index <= perAddress; index++) await asStranger()
    expect((await door.stranger.call('/', { method: 'OPTIONS' })).status).toBe(204)
  })

  it('bytes that are not HTTP get the state of their address', async () => {
    await asStranger()
    expect(shown((await askRaw(door.port, 'nonsense\r\n\r\n')) as Answer)).toEqual({
      limit: perAddress,
      remaining: perAddress - 1,
      reset: minuteEnd(),
    })
  })
})

describe('the counter', () => {
  const nowMs = Date.parse('2026-01-15T09:30:00.000Z')

  it('forged addresses past the most that are kept share one count', () => {
    const addresses = createQuotaCounter({ limit: 2, bucketsMax: 3 })
    for (const name of ['a', 'b', 'c']) expect(addresses.take(name, nowMs).remaining).toBe(1)
    expect(addresses.take('d', nowMs).remaining).toBe(1)
    expect(addresses.peek('e', nowMs).remaining).toBe(1)
    expect(addresses.take('f', nowMs).remaining).toBe(0)
    expect(addresses.take('g', nowMs).exceeded).toBe(true)
    expect(addresses.take('a', nowMs).exceeded).toBe(false)
    expect(addresses.take('d', nowMs + 60_000).remaining).toBe(1)
  })

  it('addresses never crowd out a tenant, however many come', () => {
    const tenants = createQuotaCounter({ limit: 2 })
    for (let index = 0; index < 100_001; index++) tenants.take(`tenant ${index}`, nowMs)
    expect(tenants.take('tenant of a late hour', nowMs).remaining).toBe(1)
  })

  it('a clock that jumps gives a whole new window, never a negative rest', () => {
    const counter = createQuotaCounter({ limit: 1 })
    counter.take('a', nowMs)
    expect(counter.take('a', nowMs)).toMatchObject({ remaining: 0, exceeded: true })
    expect(counter.take('a', nowMs - 3_600_000)).toMatchObject({
      remaining: 0,
      exceeded: false,
      resetAtSeconds: nowMs / 1000 - 3_540,
    })
  })
})
