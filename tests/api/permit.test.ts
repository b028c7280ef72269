// Scopes of keys: each endpoint names the scope that it needs, and the pipeline enforces it.

import { describe, expect, it } from 'vitest'
import { createKey } from '#businesses/keys.ts'
import { scopes, unrestricted, type Restrictions, type Scope } from '#businesses/keyring.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { listAudit } from '#audit/list.ts'

// The test is the proxy that the service trusts, so it can state any caller's address.
const service = await useService({
  settings: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '50' },
  roles: ['api'],
})

async function keyWith(restrictions: Partial<Restrictions>) {
  const tenant = service.business.tenants.staging
  const { secret } = await createKey(service.ctx, tenant, 'Restricted', { ...unrestricted, ...restrictions })
  const client = createClient(`${service.url}/staging`, secret)
  const ask = (path: string, address = '203.0.113.7', body?: unknown): Promise<Answer> =>
    client.call(path, { method: body === undefined ? 'GET' : 'POST', body, headers: { 'X-Forwarded-For': address } })
  return { ask, head: (path: string) => client.call(path, { method: 'HEAD' }) }
}

const methods = ['get', 'post', 'patch', 'delete'] as const
type Operation = { 'x-scope'?: Scope }
type Documented = { paths: Record<string, Partial<Record<(typeof methods)[number], Operation>>> }

// The document is made from the endpoints, so it names the scope that each one needs.
const { text } = await createClient(service.url).get('/v1/openapi.json')
const endpoints = Object.entries((JSON.parse(text) as Documented).paths).flatMap(([path, operations]) =>
  methods.flatMap((method) => {
    const operation = operations[method]
    const name = `${method} ${path.replace('/v1/', '')}`
    return operation === undefined ? [] : [{ name, method, scope: operation['x-scope'] ?? 'any' }]
  }),
)
const named = (scope: Scope | 'any'): string[] => endpoints.filter((one) => one.scope === scope).map(({ name }) => name)

describe('each endpoint needs', () => {
  it('nothing but a key for banks, operators, look-ups and fees', () => {
    expect(named('any').toSorted()).toEqual([
      'get bank/resolve',
      'get banks',
      'get fees',
      'get momo/operators',
      'get momo/resolve',
    ])
  })

  it('`read` when it reads, and for nothing else', () => {
    const reading = endpoints.filter(({ method, scope }) => method === 'get' && scope !== 'any')
    expect(named('read')).toEqual(reading.map(({ name }) => name))
    expect(reading.length).toBeGreaterThan(15)
  })

  it.each<[Scope, string[]]>([
    [
      'collect',
      [
        'delete virtual-accounts/{accountNumber}',
        'patch customers/{reference}',
        'post customers',
        'post momo/collection',
        'post momo/collection/verify-otp',
        'post virtual-accounts/dynamic',
        'post virtual-accounts/static',
      ],
    ],
    ['payout', ['post momo/transfer', 'post transfers/bulk', 'post transfers/initiate']],
    [
      'webhooks',
      [
        'delete webhooks/{id}',
        'patch webhooks/{id}',
        'post webhooks',
        'post webhooks/{id}/rotate-secret',
        'post webhooks/{id}/test',
        'post webhooks/events/{eventId}/retry',
        'post webhooks/events/retry',
      ],
    ],
    [
      'sandbox',
      [
        'post sandbox/balance/fund',
        'post sandbox/deposits',
        'post sandbox/deposits/{reference}/settle',
        'post sandbox/momo/collection/{reference}/complete',
        'post sandbox/momo/transfer/{reference}/complete',
        'post sandbox/transfers/{reference}/complete',
        'post sandbox/webhooks/trigger',
      ],
    ],
  ])('`%s` for these alone', (scope, list) => {
    expect(named(scope).toSorted()).toEqual(list.toSorted())
  })
})

describe('a key with one scope', () => {
  it.each(scopes)('may do what `%s` is for, and is refused by name whatever else it tries', async (scope) => {
    const { ask } = await keyWith({ scopes: [scope] })
    const bodies: Record<Scope, () => Promise<Answer>> = {
      read: () => ask('/v1/balance'),
      collect: () => ask('/v1/customers', undefined, {}),
      payout: () => ask('/v1/transfers/bulk', undefined, {}),
      webhooks: () => ask('/v1/webhooks', undefined, {}),
      sandbox: () => ask('/v1/sandbox/balance/fund', undefined, {}),
    }
    for (const other of scopes.filter((one) => one !== scope))
      expectError(await bodies[other](), 403, 'FORBIDDEN', `This key lacks the scope ${other}.`)
    // The empty body is the next fault after the scope.
    expect((await bodies[scope]()).status).toBe(scope === 'read' ? 200 : 400)
    expectSuccess(await ask('/v1/banks'))
    expectSuccess(await ask('/v1/fees?type=transfer&amount=100'))
  })

  it('needs `read` for HEAD as for GET', async () => {
    expect((await (await keyWith({ scopes: ['payout'] })).head('/v1/balance')).status).toBe(403)
    expect((await (await keyWith({ scopes: ['read'] })).head('/v1/balance')).status).toBe(200)
  })

  it('pays out, and does not read what became of it', async () => {
    const { ask } = await keyWith({ scopes: ['payout'] })
    const body = transferBody({ accountNumber: neverEnding })
    const path = '/v1/transfers/initiate'
    expectSuccess(await ask(path, undefined, body))
    expectSuccess(await ask(path, undefined, body))
    expectError(await ask(`/v1/transfers/${String(body['reference'])}`), 403, 'FORBIDDEN', 'the scope read')
  })
})

describe('a key for some addresses', () => {
  it('works from each of them and from nowhere else', async () => {
    const { ask } = await keyWith({ allow: ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'] })
    for (const address of ['203.0.113.0', '203.0.113.255', '198.51.100.7', '2001:db8:1::9', '::ffff:203.0.113.9'])
      expectSuccess(await ask('/v1/balance', address))
    for (const address of ['203.0.114.0', '198.51.100.8', '2001:db9::1', '::ffff:198.51.100.8'])
      expectError(await ask('/v1/balance', address), 403, 'FORBIDDEN', /^This key may not be used from /)
  })

  it('that a thief uses elsewhere counts against the quota of that address and not of the business', async () => {
    const { ask } = await keyWith({ allow: ['203.0.113.0/24'] })
    const [good, bad] = [await ask('/v1/balance'), await ask('/v1/balance', '192.0.2.1')]
    expect([good.headers['x-ratelimit-limit'], bad.headers['x-ratelimit-limit']]).toEqual(['1000000', '50'])
  })

  it('has an entry in the audit log when it is used from elsewhere', async () => {
    const { ask } = await keyWith({ allow: ['203.0.113.0/24'] })
    await ask('/v1/balance', '192.0.2.77')
    await service.app.stop()
    const ctx = { ...service.ctx, db: service.database.connect() }
    const entries = await listAudit(ctx, { sinceMs: 0, act: 'authentication.refused', limit: 100 })
    expect(entries.find(({ address }) => address === '192.0.2.77')).toMatchObject({
      details: { reason: 'address-not-allowed', count: 1 },
      businessId: service.business.id,
    })
  })
})
