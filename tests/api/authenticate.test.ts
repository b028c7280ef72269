// The service identifies callers by their key and refuses others, with real keys of a real database.

import { afterAll, describe, expect, it } from 'vitest'
import { createKey, newKeyText, revokeKey, rollKey, type NewKey } from '#businesses/keys.ts'
import { unrestricted } from '#businesses/keyring.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { startService, useService } from '#tests/support/service.ts'

const clock = createFakeClock()
const service = await useService({ clock, settings: { LOG_LEVEL: 'trace' }, roles: ['api'] })
const aSecondMs = 1_000

const stranger = createClient(service.url)
afterAll(() => stranger.close())

const methodsIn = (path: object) => Object.keys(path).filter((name) => /^(get|post|patch|delete)$/.test(name))
const ask = (authorization: string, environment = 'staging'): Promise<Answer> =>
  stranger.call(`/${environment}/v1/balance`, { headers: { Authorization: authorization } })
const newKey = (): Promise<NewKey> => createKey(service.ctx, service.business.tenants.staging, 'Another')

describe('the scheme', () => {
  it.each(['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer     ', '   Bearer '])(
    '%j and a key opens',
    async (scheme) => {
      expectSuccess(await ask(scheme + service.testKey))
    },
  )

  it('spaces behind the key do no harm', async () => {
    expectSuccess(await ask(`Bearer ${service.testKey}   `))
  })

  it.each(['Basic ', 'Token ', 'Digest ', 'Bearer', 'Bearer:', 'Bearer,', 'BearerBearer ', ''])(
    '%j does not',
    async (scheme) => {
      expectError(
        await ask(scheme + service.testKey),
        401,
        'UNAUTHORIZED',
        /^Session not found\. The Authorization header must be: Bearer <API_KEY>\.$/,
      )
    },
  )

  it.each(['Bearer', 'Bearer ', 'Bearer a b', `Bearer ${'x '.repeat(4_000)}`, `${' '.repeat(8_000)}x`])(
    '%j is no key',
    async (header) => {
      expectError(await ask(header), 401, 'UNAUTHORIZED', /^Session not found/)
    },
  )
})

describe('the refusal', () => {
  it('without any Authorization header says what to send', async () => {
    const answer = await stranger.get('/staging/v1/balance')
    expectError(
      answer,
      401,
      'UNAUTHORIZED',
      /^Session not found\. Send your API key as Authorization: Bearer <API_KEY>\.$/,
    )
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  it('of a key of the other environment names the environment that it belongs to', async () => {
    expectError(
      await ask(`Bearer ${service.liveKey}`),
      401,
      'UNAUTHORIZED',
      new RegExp(`^Session not found\\. This key belongs to ${service.url}/production\\.$`),
    )
    expectError(
      await ask(`Bearer ${service.testKey}`, 'production'),
      401,
      'UNAUTHORIZED',
      new RegExp(`^Session not found\\. This key belongs to ${service.url}/staging\\.$`),
    )
  })

  it('is the same for a key that exists and one that does not', async () => {
    const [real, invented] = [await ask(`Bearer ${service.liveKey}`), await ask(`Bearer ${newKeyText('production')}`)]
    expect(real.body.error).toEqual(invented.body.error)
  })

  it.each([
    ['unknown', newKeyText('staging')],
    ['too short', 'sk_test_abc'],
    ['too long', `${newKeyText('staging')}x`],
    ['of no environment', 'pk_live_abc'],
    ['with a quote in it', "sk_test_';--"],
    ['not ASCII', 'sk_test_\xe9'],
  ])('of a key that is %s', async (_name, key) => {
    expectError(await ask(`Bearer ${key}`), 401, 'UNAUTHORIZED', /^Session not found\. The API key is not valid/)
  })

  it('knows no difference of case in a scheme, but in a key', async () => {
    const swapped = service.testKey.replace(/[a-z]$/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    if (swapped !== service.testKey) expectError(await ask(`Bearer ${swapped}`), 401, 'UNAUTHORIZED')
    expectError(await ask(`Bearer ${service.testKey.toUpperCase()}`), 401, 'UNAUTHORIZED')
  })
})

describe('without a key', () => {
  it('nothing under /v1 answers but the API description', async () => {
    const { paths } = JSON.parse((await stranger.get('/v1/openapi.json')).text)
    const endpoints = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      // The fields of a path beside its methods belong to all of them.
      methodsIn(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, 'X-1'),
      })),
    )
    expect(endpoints).toContainEqual({ method: 'GET', path: '/v1/balance' })
    for (const environment of ['staging', 'production']) {
      for (const { method, path } of endpoints) {
        const answer = await stranger.call(`/${environment}${path}`, { method })
        expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
      }
    }
  })
})

describe('a key that ends', () => {
  it('by being revoked is refused within a second, also one in steady use', async () => {
    const key = await newKey()
    const header = `Bearer ${key.secret}`
    expectSuccess(await ask(header))
    await revokeKey(service.ctx, key.id)
    clock.advance(aSecondMs)
    expectError(
      await ask(header),
      401,
      'UNAUTHORIZED',
      /^Session not found\. The API key is not valid; it may have been revoked or have expired\.$/,
    )
  })

  it('leaves the other keys of its business alone', async () => {
    const [key, other] = [await newKey(), await newKey()]
    await revokeKey(service.ctx, key.id)
    expectSuccess(await ask(`Bearer ${other.secret}`))
  })

  it('by being rolled works on for the overlap, to the millisecond', async () => {
    const key = await newKey()
    const rolled = await rollKey(service.ctx, key.id, 1)
    if (rolled.kind !== 'done') throw new Error('the key was not rolled')
    expectSuccess(await ask(`Bearer ${rolled.key.secret}`))
    clock.advance(3_600_000 - 1)
    expectSuccess(await ask(`Bearer ${key.secret}`))
    clock.advance(1)
    expectError(await ask(`Bearer ${key.secret}`), 401, 'UNAUTHORIZED')
    expectSuccess(await ask(`Bearer ${rolled.key.secret}`))
  })

  it('is found again a second after it was made, though it was asked for too early', async () => {
    const secret = newKeyText('staging')
    expectError(await ask(`Bearer ${secret}`), 401, 'UNAUTHORIZED')
    await createKey(service.ctx, service.business.tenants.staging, 'Late', unrestricted, secret)
    clock.advance(aSecondMs)
    expectSuccess(await ask(`Bearer ${secret}`))
  })
})

describe('many keys', () => {
  it('thousands of made-up keys are refused, and honest ones still open', async () => {
    const headers = Array.from({ length: 2_000 }, () => `Bearer ${newKeyText('staging')}`)
    const answers = await Promise.all(headers.map((header) => ask(header)))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([401]))
    expectSuccess(await service.staging.get('/v1/balance'))
  })

  it('cost no look-up after their network has used up its guesses, while valid keys still work', async () => {
    const guesses = 5
    const guessed = await startService({ limits: { guessesPerNetworkMax: guesses + 1 }, clock, roles: ['api'] })
    const lookUps = async (): Promise<number> => {
      const { values } = await guessed.ctx.metrics.loaderBatchSize.get()
      const sum = values.find((one) => one.metricName?.endsWith('_sum') === true && one.labels.loader === 'keys')
      return sum?.value ?? 0
    }
    expectSuccess(await guessed.staging.get('/v1/balance'))
    const before = await lookUps()
    for (let count = 0; count < 10 * guesses; count++) {
      const headers = { Authorization: `Bearer ${newKeyText('staging')}` }
      expectError(await guessed.staging.call('/v1/balance', { headers }), 401, 'UNAUTHORIZED')
    }
    expect((await lookUps()) - before).toBe(guesses)
    clock.advance(aSecondMs)
    expectSuccess(await guessed.staging.get('/v1/balance'))
    await guessed.stop()
  })

  it('that the server has not seen yet still work when their address has used up its quota for requests without a key', async () => {
    const settings = { RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1' }
    const busy = await startService({ settings, clock, roles: ['api'] })
    const keyless = createClient(busy.url)
    for (const status of [401, 429, 429]) expect((await keyless.get('/staging/v1/balance')).status).toBe(status)
    keyless.close()
    expectSuccess(await busy.staging.get('/v1/balance'))
    await busy.stop()
  })

  it('no key and no part of one stands in the log', () => {
    const log = service.lines.join('\n')
    for (const key of [service.testKey, service.liveKey]) expect(log).not.toContain(key.slice(8))
  })
})
