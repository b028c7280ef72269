import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { eventId, oddIds, subscribe, unknownEvent, writeLog } from '#tests/webhooks/requests.ts'

// No worker, because it prunes deliveries as old as the one below.
const service = await shareService()
const webhook = await subscribe(service.staging)
const createdAt = new Date('2026-01-15T09:30:00.000Z')
const rows = [{ attempts: 2, createdAt, reference: 'PAYOUT-1' }]
const [uuid] = await writeLog(service.database, service.business.tenants.staging, webhook.id, rows)
const id = uuid === undefined ? '' : eventId(uuid)

describe('200', () => {
  it('adds the sent body and the answer to the record', async () => {
    const { events } = expectSuccess(await service.staging.get('/v1/webhooks/events'))
    const data = expectSuccess(await service.staging.get(`/v1/webhooks/events/${id}`))
    const { payload, deliveryAttempts, ...record } = data
    const { deliveryAttempts: listed, ...inList } = events[0]
    expect(record).toEqual(inList)
    expect(payload).toEqual({
      id,
      event: 'transfer.success',
      type: 'transfer.success',
      environment: 'sandbox',
      createdAt: createdAt.toISOString(),
      timestamp: createdAt.toISOString(),
      reference: 'PAYOUT-1',
      data: { some: 'data' },
    })
    expect(deliveryAttempts).toEqual(
      listed.map((attempt: object, index: number) => ({ ...attempt, responseBody: `answer ${index + 1}` })),
    )
    expect(deliveryAttempts.map(({ responseCode }: { responseCode: number }) => responseCode)).toEqual([500, 200])
  })

  it('shows the latest hundred of very many attempts', async () => {
    const [many] = await writeLog(service.database, service.business.tenants.staging, webhook.id, [{ attempts: 103 }])
    const path = `/v1/webhooks/events/${many === undefined ? '' : eventId(many)}`
    const { attempts, deliveryAttempts } = expectSuccess(await service.staging.get(path))
    expect(attempts).toBe(103)
    expect(deliveryAttempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 4),
    )
  })
})

describe('404', () => {
  it.each([unknownEvent, ...oddIds])('%s', async (unknown) => {
    const path = `/v1/webhooks/events/${unknown}`
    expectError(await service.staging.get(path), 404, 'NOT_FOUND', /^Webhook event not found$/)
  })

  it("refuses another tenant's", async () => {
    expectError(await service.production.get(`/v1/webhooks/events/${id}`), 404, 'NOT_FOUND')
  })
})
