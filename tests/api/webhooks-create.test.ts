import { describe, expect, it } from 'vitest'
import { eventNames } from '#events/catalogue.ts'
import { createClient, expectError, expectSuccess, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, useService } from '#tests/support/service.ts'
import { subscriptionBody } from '#tests/webhooks/requests.ts'

const service = await useService({ roles: ['api'] })
const create = (body: unknown) => service.staging.post('/v1/webhooks', body)

describe('200', () => {
  it('subscribes, and shows the secret once', async () => {
    const url = 'https://example.com/hooks?a=1'
    const answer = await create({
      url,
      events: ['transfer.success', 'deposit.success'],
      environment: 'sandbox',
      extra: 1,
    })
    const data = expectSuccess(answer)
    expect(data).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      url,
      events: ['transfer.success', 'deposit.success'],
      environment: 'sandbox',
      status: 'active',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: data.createdAt,
    })
    for (const path of ['/v1/webhooks', `/v1/webhooks/${data.id}`]) {
      expect((await service.staging.get(path)).text).not.toContain(data.secret)
    }
  })

  it.each([
    ['staging', 'sandbox'],
    ['production', 'production'],
  ] as const)('takes the environment from the key: %s is %s', async (environment, name) => {
    const data = expectSuccess(await service[environment].post('/v1/webhooks', subscriptionBody()))
    expect(data.environment).toBe(name)
  })

  it('takes the events of the specification and the opt-in ones', async () => {
    const { events } = expectSuccess(await create(subscriptionBody()))
    expect(events).toEqual([...eventNames])
    expect(events).toHaveLength(9)
  })

  it('takes http to this machine on staging, because the server listens on loopback', async () => {
    expectSuccess(await create(subscriptionBody({ url: 'http://127.0.0.1:3000/hooks' })))
    const body = subscriptionBody({ url: 'http://127.0.0.1:3000/hooks' })
    expectError(
      await service.production.post('/v1/webhooks', body),
      400,
      'VALIDATION_ERROR',
      /^url must begin with https/,
    )
  })

  it('keeps neither the secret nor its base64 in the clear, in the row or in the log', async () => {
    const { secret } = expectSuccess(await create(subscriptionBody()))
    const rows = await asOwner<{ row: string; secret: Buffer }>(
      service.database,
      'select s::text as row, secret from webhook_subscription s where secret is not null',
    )
    const [, plain = ''] = secret.split('_')
    const bytes = Buffer.from(plain, 'base64')
    for (const row of rows) {
      expect(row.row).not.toContain(plain)
      expect(row.row).not.toContain(bytes.toString('hex'))
      expect(row.row).not.toContain(Buffer.from(secret).toString('hex'))
      expect(row.secret.includes(bytes) || row.secret.includes(plain)).toBe(false)
    }
    expect(rows.length).toBeGreaterThan(0)
    expect(service.lines.join('')).not.toContain(plain)
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([
    ['url', { url: undefined }],
    ['url', { url: 'http://example.com' }],
    ['url', { url: 'https://user@example.com' }],
    ['url', { url: 'https://example.com/#x' }],
    ['url', { url: `https://example.com/${'x'.repeat(2048)}` }],
    ['url', { url: 7 }],
    ['url', { url: ['https://example.com'] }],
    ['url', { url: null }],
    ['url', { url: 'https://example.com/\0' }],
    ['events', { events: undefined }],
    ['events', { events: [] }],
    ['events', { events: 'transfer.success' }],
    ['events', { events: { 0: 'transfer.success' } }],
    ['events', { events: [1] }],
    ['events', { events: [null] }],
    ['events', { events: [['transfer.success']] }],
    ['events', { events: ['transfer.success', 'transfer.success'] }],
    ['events', { events: ['webhook.test'] }],
    ['events', { events: ['__proto__'] }],
    ['events', { events: Array.from({ length: 20_000 }, () => 'x') }],
    ['events', { events: Array.from({ length: 5_000 }, () => 'transfer.success') }],
    ['events', { events: JSON.parse('{"__proto__":["transfer.success"]}') }],
    ['environment', { environment: 'staging' }],
    ['environment', { environment: 'production' }],
    ['environment', { environment: null }],
  ])('%s', async (field, changes) => {
    const answer = await create(subscriptionBody(changes))
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
    expect(answer.text.length).toBeLessThan(2_000)
  })

  it('lists the allowed events when one is unknown', async () => {
    const answer = await create(subscriptionBody({ events: ['transfer.sucess'] }))
    for (const name of eventNames) expect(answer.body.error?.message).toContain(name)
  })

  it('names all that is wrong', async () => {
    const details = async (body: unknown) => (await create(body)).body.error?.details?.map(({ field }) => field)
    expect(await details({ url: 1, events: 1, environment: 1 })).toEqual(['url', 'events', 'environment'])
    expect(await details({ url: 'http://a.example', events: [], environment: 'test' })).toEqual([
      'url',
      'events',
      'environment',
    ])
    const localUrl = { url: 'http://localhost/', environment: 'sandbox' }
    const answer = await service.production.post('/v1/webhooks', subscriptionBody(localUrl))
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['url', 'environment'])
  })

  it('refuses http to this machine when the server listens to the world', async () => {
    const open = await startService({ settings: { HOST: '0.0.0.0' }, roles: ['api'] })
    try {
      const answer = await open.staging.post('/v1/webhooks', subscriptionBody({ url: 'http://localhost:3000/' }))
      expectError(answer, 400, 'VALIDATION_ERROR', /^url must begin with https/)
    } finally {
      await open.stop()
    }
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const options = { method: 'POST', body: {}, headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/webhooks', options), 401, 'UNAUTHORIZED')
  })
})

describe('409', () => {
  it('lets 20 of 40 at once win, also when two processes are asked', async () => {
    const { staging, testKey } = await service.addBusiness('Twice')
    const other = await startService({ database: service.database, roles: ['api'] })
    const client = createClient(`${other.url}/staging`, testKey)
    try {
      const ask = (of: Client) => Array.from({ length: 20 }, () => of.post('/v1/webhooks', subscriptionBody()))
      const answers = await Promise.all([...ask(staging), ...ask(client)])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(20)
    } finally {
      client.close()
      await other.stop()
    }
  })

  it('lets 20 of 30 at once win, and a new one when one is deleted', async () => {
    const { staging, production } = await service.addBusiness('Many')
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => staging.post('/v1/webhooks', subscriptionBody())),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(20)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer, 409, 'CONFLICT', /^There are already 20 webhooks\./)
    }
    expectSuccess(await production.post('/v1/webhooks', subscriptionBody()))
    expectSuccess(await staging.delete(`/v1/webhooks/${made[0]?.body.data.id}`))
    expectSuccess(await staging.post('/v1/webhooks', subscriptionBody()))
    expectError(await staging.post('/v1/webhooks', subscriptionBody()), 409, 'CONFLICT')
    expect(expectSuccess(await staging.get('/v1/webhooks')).webhooks).toHaveLength(20)
  })
})
