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
  faults: { field: string; message: string; errorCode?: string }[]
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

  it('200: holds no secret, full account number, BVN, code or personal name', async () => {
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

  it('200: shows which rows of a bulk request were refused, which of their fields, and why', async () => {
    const row = { amount: 150_000, bankSlug: 'access-bank', accountNumber: '0123456789', accountName: 'ADA OBI' }
    const metadata = { 'Ada Obi': 5 }
    const answer = await service.staging.call('/v1/transfers/bulk', {
      method: 'POST',
      headers: { 'X-Request-Id': 'bulk-1' },
      body: {
        transfers: [
          { ...row, reference: 'BULK-1' },
          { ...row, reference: 'BULK-2', amount: 0, accountNumber: '123', metadata },
          { ...row, reference: 'BULK-1', amount: 150_001 },
          { ...row, reference: 'BULK-4', amount: 9_000_000_000_000 },
          ...Array.from({ length: 60 }, (_, index) => ({ ...row, reference: `BULK-${index + 5}`, narration: 7 })),
        ],
      },
    })
    expect(expectSuccess(answer)).toMatchObject({ accepted: 1, refused: 63 })
    const shown = await untilLogged('bulk-1')
    expect(shown).toMatchObject({ status: 200, errorCode: null, body: null })
    const fields = shown.faults.map(({ field, errorCode }) => [field, errorCode])
    expect(fields.slice(0, 4)).toEqual([
      ['transfers.1.amount', 'VALIDATION_ERROR'],
      ['transfers.1.accountNumber', 'VALIDATION_ERROR'],
      ['transfers.1.metadata.[name of 7 characters]', 'VALIDATION_ERROR'],
      ['transfers.2.amount', 'CONFLICT'],
    ])
    expect(shown.faults.at(-1)).toEqual({ field: '…', message: expect.stringMatching(/^\d+ more$/) })
    const kept = JSON.stringify(shown.faults)
    expect(kept.length).toBeLessThanOrEqual(2_048)
    expect(fields).toContainEqual(['transfers.3.amount', 'INSUFFICIENT_BALANCE'])
    for (const hidden of ['Ada Obi', '0123456789', '99999', '9000000']) expect(kept).not.toContain(hidden)
  })

  it('400: names the fault of a filter', async () => {
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
