// The log line of a request, found by its payment, its key or its caller.

import { describe, expect, it, onTestFinished } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { startFrontDoor } from '#tests/support/front-door.ts'
import { eventually } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'

type Line = Record<string, unknown>

const service = await useService({ roles: ['api'] })

/**
 * The log line of one request. The service writes it after the answer has left, so the test may have to wait a moment.
 */
function lineOf(requestId: string): Promise<Line> {
  return eventually(`the line of ${requestId}`, () => {
    const found = service.lines.find((line) => line.includes(JSON.stringify(requestId)))
    return Promise.resolve(found === undefined ? undefined : (JSON.parse(found) as Line))
  })
}

describe('a write', () => {
  it('has one line with the actor, the action, the record and the outcome', async () => {
    const body = transferBody({ accountNumber: '0123456789' })
    const answer = await service.staging.call('/v1/transfers/initiate', {
      method: 'POST',
      body,
      headers: { 'X-Request-ID': 'write-1' },
    })
    expectSuccess(answer)
    const { tenants: _tenants, id } = service.business
    expect(await lineOf('write-1')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'write-1',
      business: formatId('business', id),
      environment: 'staging',
      key: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      method: 'POST',
      route: '/v1/transfers/initiate',
      status: 200,
      reference: body['reference'],
      address: '127.0.0.1',
      durationMs: expect.any(Number),
      msg: 'request',
    })
    expect(service.lines.filter((line) => line.includes('"write-1"'))).toHaveLength(1)
  })

  it('that is refused has the error code, and the reference though another field is wrong', async () => {
    const answered = transferBody()
    const body = { ...answered, amount: 0 }
    const headers = { 'X-Request-ID': 'refused-1' }
    const answer = await service.staging.call('/v1/transfers/initiate', { method: 'POST', body, headers })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(await lineOf('refused-1')).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      reference: answered['reference'],
      business: formatId('business', service.business.id),
    })
  })

  it('never shows a key, a secret or an account number', async () => {
    const spoilt = { 'X-Request-ID': `${service.testKey}"\\` }
    const body = { ...transferBody({ accountNumber: '0123456789' }), reference: `whsec_${'a'.repeat(43)}` }
    await service.staging.call('/v1/transfers/initiate', { method: 'POST', body, headers: spoilt })
    await service.staging.call('/v1/virtual-accounts/0123456789', {
      method: 'DELETE',
      headers: { 'X-Request-ID': 'x-2' },
    })
    expect(await lineOf('x-2')).toMatchObject({ route: '/v1/virtual-accounts/:accountNumber', status: 404 })
    const all = service.lines.join('')
    expect(all).toContain('sk_test_[redacted]\\"\\\\')
    for (const secret of [service.testKey, 'whsec_a', '0123456789']) expect(all).not.toContain(secret)
  })
})

describe('a read', () => {
  it('that is answered has no line at info, one that is refused has', async () => {
    const ask = (path: string, id: string) => service.staging.call(path, { headers: { 'X-Request-ID': id } })
    expectSuccess(await ask('/v1/balance', 'read-1'))
    expectError(await ask('/v1/transfers/nobody', 'read-2'), 400, 'TRANSFER_NOT_FOUND')
    expect(await lineOf('read-2')).toMatchObject({ code: 'TRANSFER_NOT_FOUND', reference: 'nobody', level: 'info' })
    expect(service.lines.join('')).not.toContain('read-1')
  })
})

describe('refusals of strangers', () => {
  it('have a line each, up to a number in a minute; one line counts the others', async () => {
    const door = await startFrontDoor({ settings: { LOG_LEVEL: 'info' } })
    for (let index = 0; index < 30; index++)
      expectError(await door.stranger.get('/staging/v1/notes'), 401, 'UNAUTHORIZED')
    // A caller with a key is no stranger.
    expectError(await door.staging.get('/v1/nothing'), 404, 'ROUTE_NOT_FOUND')
    door.clock.advance(60_000)
    expectError(await door.stranger.get('/nothing'), 404, 'ROUTE_NOT_FOUND')
    const written = await eventually('the last line', () =>
      Promise.resolve(door.lines.at(-1)?.['code'] === 'ROUTE_NOT_FOUND' ? door.lines : undefined),
    )
    const codes = written.map((line) => line['code'] ?? line['refusals'])
    expect(codes).toEqual([
      ...Array.from({ length: 20 }, () => 'UNAUTHORIZED'),
      'ROUTE_NOT_FOUND',
      10,
      'ROUTE_NOT_FOUND',
    ])
    expect(written[0]).not.toHaveProperty('business')
    await door.stop()
  })
})

it.each([3_600_000, -3_600_000])('a clock that is set by %i ms during a request changes no duration', async (ms) => {
  const door = await startFrontDoor()
  onTestFinished(() => door.stop())
  door.readiness.missingMigrations = () => {
    door.clock.set(ms)
    door.clock.advance(20)
    return Promise.resolve([])
  }
  expectSuccess(await door.stranger.get('/ready'))
  const line = await eventually('the line', () => Promise.resolve(door.lines.find(({ route }) => route === '/ready')))
  expect(line['durationMs']).toBe(20)
})
