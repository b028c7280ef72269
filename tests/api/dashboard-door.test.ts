// The dashboard's pipeline: whom it lets in, from which pages, and what it never gives to another site.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { addPerson, below, callsOf, pageHeaders } from '#tests/support/dashboard.ts'
import { createClient, expectError, expectSuccess } from '#tests/support/client.ts'
import { startService, useService } from '#tests/support/service.ts'

const service = await useService({
  dashboardAssets: (exchange) => void exchange.response.writeHead(200, [...exchange.guards]).end('page'),
  roles: ['api'],
})
const owner = await addPerson(service, { role: 'owner' })
const stranger = callsOf(service)
const balance = `${below(service, 'staging')}/v1/balance`
const port = new URL(service.url).port
const plain = createClient(service.url)

describe('a page of ours', () => {
  it('reads what the API would show to a key, in the same envelope', async () => {
    const seen = expectSuccess(await owner.get(balance))
    expect(seen).toEqual(expectSuccess(await service.staging.get('/v1/balance')))
  })

  it('is answered for no other origin, whatever the answer', async () => {
    const answers = [
      await owner.get(balance),
      await stranger.get(balance),
      await owner.get('/nowhere'),
      await owner.call(balance, { method: 'OPTIONS' }),
      await plain.get('/dashboard'),
      await plain.call('/dashboard/api/me', { headers: { Origin: 'https://evil.example' } }),
    ]
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cross-origin-opener-policy']).toBe('same-origin')
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
    }
    expect(answers[0]?.headers['cache-control']).toBe('no-store')
  })
})

describe('401 UNAUTHORIZED', () => {
  it.each([
    ['no cookie', undefined],
    ['a cookie that says nothing', `manilla-${port}=`],
    ['a made-up one', `manilla-${port}=${'A'.repeat(43)}`],
    ['that of another port', `manilla-1=${owner.token}`],
    ['two of one name, of which one was planted', `${owner.cookie}; manilla-${port}=${'A'.repeat(43)}`],
  ])('with %s', async (_, cookie) => {
    expectError(await callsOf(service, cookie).get(balance), 401, 'UNAUTHORIZED')
  })

  it('while the second factor is due, with the field that is missing', async () => {
    const half = await addPerson(service, { role: 'owner', level: 'half', hasFactor: true })
    const answer = await half.get(balance)
    expectError(answer, 401, 'UNAUTHORIZED')
    expect(answer.body.error?.details).toMatchObject([{ field: 'code', message: 'code is required' }])
  })

  it('with a key of the API, which opens the other door alone', async () => {
    const withKey = { headers: { ...pageHeaders, Authorization: `Bearer ${service.testKey}` } }
    expectError(await plain.call(`/dashboard/api${balance}`, withKey), 401, 'UNAUTHORIZED')
  })
})

describe('403 FORBIDDEN, to a call that no page of ours made', () => {
  const write = `${below(service, 'staging')}/v1/sandbox/balance/fund`
  const send = (headers: Record<string, string>) =>
    plain.call(`/dashboard/api${write}`, {
      method: 'POST',
      body: JSON.stringify({ amount: 100 }),
      headers: { Host: `localhost:${port}`, Cookie: owner.cookie, ...headers },
    })
  const { 'Sec-Fetch-Site': _site, ...withoutSite } = pageHeaders

  it.each([
    ['another site', { ...pageHeaders, 'Sec-Fetch-Site': 'cross-site' }],
    ['another port of this machine', { ...pageHeaders, 'Sec-Fetch-Site': 'same-site' }],
    ['an address bar', { ...pageHeaders, 'Sec-Fetch-Site': 'none' }],
    ['a browser that says neither site nor origin', withoutSite],
    ['an old browser on another site', { ...withoutSite, Origin: 'http://localhost:1' }],
    ['an origin that is hidden', { ...withoutSite, Origin: 'null' }],
    ['a form', { ...pageHeaders, 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a form of plain text', { ...pageHeaders, 'Content-Type': 'text/plain' }],
    ['a page without the header of ours', { ...pageHeaders, 'X-Manilla-Dashboard': '0' }],
  ])('but %s', async (_, headers) => {
    expectError(await send(headers), 403, 'FORBIDDEN')
  })

  it('while an old browser on our origin is let in', async () => {
    expectSuccess(await send({ ...withoutSite, Origin: `http://localhost:${port}` }))
  })

  it('and that reads from another site, or from another port', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expectError(await owner.call(balance, { headers: { 'Sec-Fetch-Site': site } }), 403, 'FORBIDDEN')
    }
    expectSuccess(await owner.call(balance, { headers: { 'Sec-Fetch-Site': 'none' } }))
  })
})

describe('421 MISDIRECTED', () => {
  it.each(['evil.example', `evil.example:${port}`, '192.0.2.7', `localhost.evil.example:${port}`])(
    'to %s, a name that somebody lets lead here',
    async (host) => {
      expectError(await plain.call('/dashboard', { headers: { Host: host } }), 421, 'MISDIRECTED')
      expectError(await owner.call(balance, { headers: { Host: host } }), 421, 'MISDIRECTED')
    },
  )

  it('and not to the number of this machine, whose pages are led to its name', async () => {
    const { status, headers } = await plain.get('/dashboard/b/x/staging/payments?status=FAILED')
    expect({ status, location: headers.location }).toEqual({
      status: 302,
      location: `http://localhost:${port}/dashboard/b/x/staging/payments?status=FAILED`,
    })
    const page = await plain.call('/dashboard', { headers: { Host: `localhost:${port}` } })
    expect(page.text).toBe('page')
  })
})

describe('where it stands', () => {
  it.each(['/dashboards', '/dash', '/staging/dashboard', '/Dashboard'])('%s is none of it', async (path) => {
    expectError(await plain.get(path), 404, 'ROUTE_NOT_FOUND')
  })

  it('knows its paths and their methods', async () => {
    expectError(await owner.get('/nowhere'), 404, 'ROUTE_NOT_FOUND')
    const wrong = await owner.delete(balance)
    expectError(wrong, 405, 'METHOD_NOT_ALLOWED')
    expect(wrong.headers.allow).toBe('GET, HEAD')
    expectError(
      await plain.call('/dashboard', { method: 'POST', headers: { Host: 'localhost' } }),
      405,
      'METHOD_NOT_ALLOWED',
    )
  })

  it('shows a business only to its own people, and does not reveal that another one exists', async () => {
    const other = await service.addBusiness('Another')
    const path = `/b/${formatId('business', other.business.id)}/staging/v1/balance`
    const unknown = path.replace(/biz_\w+/, 'biz_01h455vb4pex5vsknk084sn02q')
    const [theirs, nobodys] = [await owner.get(path), await owner.get(unknown)]
    expectError(theirs, 404, 'NOT_FOUND')
    expect(theirs.body.error).toEqual(nobodys.body.error)
    expectError(await owner.get(balance.replace('staging', 'nowhere')), 404, 'NOT_FOUND')
  })

  it('logs the person and the business, and never the cookie', async () => {
    await owner.post(`${below(service, 'staging')}/v1/sandbox/balance/fund`, { amount: 100 })
    const line = service.lines.findLast((text) => text.includes('balance/fund')) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      person: formatId('person', owner.id),
      business: formatId('business', service.business.id),
      environment: 'staging',
      route: '/dashboard/api/b/:business/:environment/v1/sandbox/balance/fund',
    })
    expect(service.lines.join('')).not.toContain(owner.token)
  })
})

describe('DASHBOARD=off', () => {
  it('serves no people', async () => {
    const off = await startService({ settings: { DASHBOARD: 'off' }, roles: ['api'] })
    expectError(await createClient(off.url).get('/dashboard'), 404, 'ROUTE_NOT_FOUND')
    await off.stop()
  })
})
