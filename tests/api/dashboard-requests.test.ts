import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { present } from '#platform/assert.ts'
import { useService } from '#tests/support/service.ts'

type Shown = {
  id: string
  requestId: string
  route: string
  status: number
  errorCode: string | null
  body: Record<string, unknown> | null
  faults: { field: string; message: string }[]
  key: string
}

const service = await useService({ roles: ['api'] })
const developer = await addPerson(service, { role: 'developer' })
const path = `${below(service, 'staging')}/requests`

async function untilLogged(requestId: string): Promise<Shown> {
  return untilHolds(async () => {
    const { requests } = expectSuccess(await developer.get(`${path}/${requestId}`)) as { requests: Shown[] }
    return present(requests[0], 'the request is in the log')
  })
}

const secrets = {
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  bvn: '22123456789',
  otp: '482913',
  phoneNumber: '+2348012345678',
  narration: 'for 0123456789 of Ada',
  bankSlug: '9876543210',
}

describe('GET /dashboard/api/b/{business}/{environment}/requests', () => {
  it('200: shows a refused request with its code and its masked body, and finds it by its id', async () => {
    const answer = await service.staging.call('/v1/transfers/initiate', {
      method: 'POST',
      headers: { 'X-Request-Id': 'my-request-1', 'User-Agent': 'shop/1 sk_live_abcdefghijklmnopqrst 08012345678' },
      body: { reference: 'PAYOUT-1', amount: -5, ...secrets },
    })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expectSuccess(await service.staging.get('/v1/balance'))
    const shown = await untilLogged('my-request-1')
    expect(shown).toMatchObject({
      route: '/v1/transfers/initiate',
      status: 400,
      errorCode: 'VALIDATION_ERROR',
      body: { amount: -5, accountNumber: '[text of 10 characters]', bankSlug: '[digits]' },
    })
    expect(shown.faults).toContainEqual({ field: 'amount', message: 'amount must be at least 1' })
    const { requests, routes } = expectSuccess(await developer.get(`${path}?status=4xx&route=/v1/transfers/initiate`))
    expect(requests).toMatchObject([{ requestId: 'my-request-1' }])
    expect(routes).toContain('/v1/balance')
    expect(expectSuccess(await developer.get(`${path}?key=${shown.key}`)).requests.length).toBeGreaterThanOrEqual(1)
    const { hits } = expectSuccess(await developer.get(`${below(service, 'staging')}/find?q=my-request-1`))
    expect(hits).toMatchObject([{ kind: 'request', reference: 'my-request-1', status: '400' }])
  })

  it('200: holds no secret, full account number, BVN, code or name of anybody', async () => {
    await service.staging.call('/v1/customers', {
      method: 'POST',
      headers: { 'X-Request-Id': 'my-request-2' },
      body: {
        reference: 'C 1',
        firstName: 'Ada',
        lastName: 'Obi',
        email: 'ada@example.ng',
        metadata: { AdaObi: 5 },
        ...secrets,
      },
    })
    await service.staging.get('/v1/banks/resolve?accountNumber=0123456789&bankSlug=nowhere')
    await untilLogged('my-request-2')
    const rows = await asOwner<{ text: string }>(service.database, 'select api_request::text as text from api_request')
    const stored = rows.map(({ text }) => text).join('\n')
    expect(stored).toContain('my-request-1')
    for (const secret of [
      ...Object.values(secrets),
      'ada@example.ng',
      '"Ada"',
      'AdaObi',
      'abcdefghijklmnopqrst',
      'sk_test_',
    ])
      expect(stored.replaceAll('sk_live_[redacted]', '')).not.toContain(secret)
  })

  it('400: names what is wrong with a filter', async () => {
    for (const query of ['status=3xx', 'key=abc', 'behind=abc', 'limit=0'])
      expectError(await developer.get(`${path}?${query}`), 400, 'VALIDATION_ERROR')
  })

  it('403: is not for finance and viewers', async () => {
    for (const role of ['finance', 'viewer'] as const) {
      const person = await addPerson(service, { role })
      expectError(await person.get(path), 403, 'FORBIDDEN')
      const { hits } = expectSuccess(await person.get(`${below(service, 'staging')}/find?q=my-request-1`))
      expect(hits).toEqual([])
    }
  })
})
