// A business receives the events of its money: after failures, by a manual retry, and while it changes its secret.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useVerifyingReceiver, verify, type VerifyingReceiver } from '#tests/support/verifying-receiver.ts'

const service = await useService({ settings: { WEBHOOK_RETRY_SCHEDULE: '1,1,600', SANDBOX_SETTLE_MS: '0' } })
const { staging } = service

async function subscribed(...events: string[]) {
  const receiver = await useVerifyingReceiver()
  const { secret, ...webhook } = expectSuccess(await staging.post('/v1/webhooks', { url: receiver.url, events }))
  receiver.secrets.push(secret)
  return { receiver, webhook }
}

async function pay(): Promise<string> {
  return expectSuccess(await staging.post('/v1/transfers/initiate', transferBody())).reference
}

const recordsOf = async (query: string) => expectSuccess(await staging.get(`/v1/webhooks/events?${query}`)).events

/** Resolves with the one record of this reference and webhook when it is as wanted. */
function untilRecord(query: string, wanted: Record<string, unknown>) {
  return untilHolds(async () => {
    const [record] = await recordsOf(query)
    expect(record).toMatchObject(wanted)
    return record
  })
}

function expectGenuine({ arrivals }: VerifyingReceiver): void {
  expect(arrivals.length).toBeGreaterThan(0)
  for (const { genuine, headers, body } of arrivals) {
    expect(genuine).toBe(true)
    expect(headers['x-webhook-id']).toBe(body.id)
    expect(headers['x-webhook-event']).toBe(body.event)
  }
}

it('a receiver that fails twice gets a third attempt, with the same bytes and a new signature', async () => {
  const { receiver, webhook } = await subscribed('transfer.success')
  receiver.answers.push(500, 503)
  const reference = await pay()
  const record = await untilRecord(`reference=${reference}&webhookId=${webhook.id}`, { status: 'delivered' })
  expect(record).toMatchObject({ attempts: 3, maxAttempts: 4, responseCode: 200, lastError: null, nextAttemptAt: null })
  expect(record.deliveryAttempts).toMatchObject([
    { attempt: 1, trigger: 'automatic', responseCode: 500 },
    { attempt: 2, trigger: 'automatic', responseCode: 503 },
    { attempt: 3, trigger: 'automatic', responseCode: 200, error: null },
  ])
  expectGenuine(receiver)
  expect(receiver.arrivals.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3'])
  expect(new Set(receiver.arrivals.map(({ rawBody }) => rawBody.toString('utf8'))).size).toBe(1)
  const body = receiver.arrivals[0]?.body
  expect(body).toMatchObject({ event: 'transfer.success', environment: 'sandbox', reference })
  expect(body.data).toEqual(expectSuccess(await staging.get(`/v1/transfers/${reference}`)))
  const detail = expectSuccess(await staging.get(`/v1/webhooks/events/${record.id}`))
  expect(detail.payload).toEqual(body)
  expect(detail.deliveryAttempts.map((attempt: { responseBody: string }) => attempt.responseBody)).toEqual([
    'said 500',
    'said 503',
    'said 200',
  ])
})

it('a failed delivery is found and sent by hand, which cancels the scheduled attempts', async () => {
  const { receiver, webhook } = await subscribed('transfer.success')
  receiver.answers.push(500, 500, 500)
  const reference = await pay()
  const query = `reference=${reference}&webhookId=${webhook.id}`
  const failed = await untilRecord(query, { status: 'failed', attempts: 3 })
  expect(await recordsOf(`status=failed&webhookId=${webhook.id}`)).toEqual([failed])
  expect(Date.parse(failed.nextAttemptAt)).toBeGreaterThan(Date.now() + 300_000)
  const queued = expectSuccess(await staging.post(`/v1/webhooks/events/${failed.id}/retry`))
  expect(queued).toMatchObject({ status: 'pending', nextAttemptAt: failed.nextAttemptAt })
  const delivered = await untilRecord(query, { status: 'delivered', attempts: 4, nextAttemptAt: null })
  expect(delivered.deliveryAttempts.at(-1)).toMatchObject({ trigger: 'manual', responseCode: 200 })
  expectGenuine(receiver)
  expectError(await staging.post(`/v1/webhooks/events/${failed.id}/retry`), 409, 'CONFLICT')
  expectSuccess(await staging.post(`/v1/webhooks/events/${failed.id}/retry`, { force: true }))
  await untilRecord(query, { status: 'delivered', attempts: 5 })
  expect(await recordsOf(`status=failed&webhookId=${webhook.id}`)).toEqual([])
})

it('a retry of a delivery that is being sent waits for it, and is one attempt more', async () => {
  const { receiver, webhook } = await subscribed('transfer.success')
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.held = promise
  receiver.answers.push(500)
  const reference = await pay()
  await untilHolds(() => expect(receiver.arrivals).toHaveLength(1))
  const query = `reference=${reference}&webhookId=${webhook.id}`
  const [{ id }] = await recordsOf(query)
  for (let asked = 0; asked < 3; asked++) {
    expect(expectSuccess(await staging.post(`/v1/webhooks/events/${id}/retry`))).toMatchObject({
      status: 'pending',
      attempts: 0,
    })
  }
  receiver.held = undefined
  resolve()
  const record = await untilRecord(query, { status: 'delivered', nextAttemptAt: null })
  expect(record.deliveryAttempts).toMatchObject([
    { trigger: 'automatic', responseCode: 500 },
    { trigger: 'manual', responseCode: 200 },
  ])
  expect(receiver.arrivals).toHaveLength(2)
})

it('deliveries from the time when a webhook was disabled are sent on request', async () => {
  const { receiver, webhook } = await subscribed('transfer.success')
  expectSuccess(await staging.patch(`/v1/webhooks/${webhook.id}`, { status: 'disabled' }))
  const references = [await pay(), await pay()]
  await untilHolds(async () => expect(await recordsOf(`webhookId=${webhook.id}`)).toHaveLength(2))
  expectSuccess(await staging.patch(`/v1/webhooks/${webhook.id}`, { status: 'active' }))
  expect(receiver.arrivals).toEqual([])
  const body = {
    from: new Date(Date.now() - 60_000).toISOString(),
    to: new Date().toISOString(),
    webhookId: webhook.id,
  }
  expect(expectSuccess(await staging.post('/v1/webhooks/events/retry', body))).toEqual({ queued: 2 })
  await untilHolds(() => expect(receiver.arrivals).toHaveLength(2))
  expect(receiver.arrivals.map(({ body: { reference } }) => reference).toSorted()).toEqual(references.toSorted())
  expectGenuine(receiver)
})

it('a secret is replaced, again and again, without a delivery that the business cannot verify', async () => {
  const { receiver, webhook } = await subscribed('deposit.success')
  let sent = 0
  const stopAt = receiver.arrivals
  const flow = async (): Promise<void> => {
    while (stopAt.length < 120) {
      const { queued } = expectSuccess(await staging.post('/v1/sandbox/webhooks/trigger', { event: 'deposit.success' }))
      sent += queued
    }
  }
  const flowing = Promise.all([flow(), flow()])
  for (const count of [20, 40, 60, 80]) {
    await untilHolds(() => expect(receiver.arrivals.length).toBeGreaterThanOrEqual(count))
    const path = `/v1/webhooks/${webhook.id}/rotate-secret`
    receiver.secrets.push(expectSuccess(await staging.post(path, { expireOldInHours: 1 })).secret)
  }
  await flowing
  await untilHolds(() => expect(receiver.arrivals.length).toBe(sent))
  expectGenuine(receiver)
  const last = receiver.arrivals.at(-1)
  const signatures = String(last?.headers['x-webhook-signature']).match(/v1=[0-9a-f]{64}/g)
  expect(signatures).toHaveLength(2)
  const [newest, before, ...older] = receiver.secrets.toReversed()
  const verifies = (secret = ''): boolean =>
    verify(last?.headers['x-webhook-signature'], last?.rawBody ?? Buffer.alloc(0), secret)
  expect([newest, before].map(verifies)).toEqual([true, true])
  expect(older.some(verifies)).toBe(false)
  for (const secret of receiver.secrets) expect(service.lines.join('')).not.toContain(secret.slice(6))
})

describe('a receiver', () => {
  it('refuses a changed body, another secret, and an old delivery', async () => {
    const { receiver, webhook } = await subscribed('transfer.success')
    expectSuccess(await staging.post(`/v1/webhooks/${webhook.id}/test`))
    const [arrival] = receiver.arrivals
    if (arrival === undefined) throw new Error('nothing arrived')
    const [header, secret] = [arrival.headers['x-webhook-signature'], receiver.secrets[0] ?? '']
    expect(verify(header, arrival.rawBody, secret)).toBe(true)
    const tampered = Buffer.from(arrival.rawBody)
    tampered[tampered.length - 2] = (tampered[tampered.length - 2] ?? 0) ^ 1
    expect(verify(header, tampered, secret)).toBe(false)
    expect(verify(header, arrival.rawBody, `${secret}x`)).toBe(false)
    expect(verify(header, arrival.rawBody, secret, Date.now() + 301_000)).toBe(false)
    const later = String(header).replace(/t=(\d+)/, (_, t: string) => `t=${Number(t) + 301}`)
    expect(verify(later, arrival.rawBody, secret, Date.now() + 301_000)).toBe(false)
  })

  it('gets only the events that it named', async () => {
    const { receiver, webhook } = await subscribed('transfer.failed')
    const reference = await pay()
    await untilHolds(async () =>
      expect(expectSuccess(await staging.get(`/v1/transfers/${reference}`)).status).toBe('SUCCESS'),
    )
    expect(await recordsOf(`webhookId=${webhook.id}`)).toEqual([])
    expect(receiver.arrivals).toEqual([])
  })
})
