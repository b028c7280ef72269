import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { shareService } from '#tests/support/service.ts'
import { useVerifyingReceiver } from '#tests/support/verifying-receiver.ts'
import { oddIds, subscribe, unknownWebhook } from '#tests/webhooks/requests.ts'

// No worker runs: the process that gets the request sends the test.
const service = await shareService()
const receiver = await useVerifyingReceiver()
const { secret, id } = await subscribe(service.staging, { url: receiver.url, events: ['transfer.failed'] })
receiver.secrets.push(secret)
const test = (of: string, body?: unknown) => service.staging.post(`/v1/webhooks/${of}/test`, body)

describe('200', () => {
  it('sends webhook.test, signed, and answers with the attempt', async () => {
    const data = expectSuccess(await test(id))
    const arrival = receiver.arrivals.at(-1)
    expect(arrival).toMatchObject({ genuine: true, body: { id: data.eventId, event: 'webhook.test' } })
    expect(arrival?.body.data.webhookId).toBe(id)
    expect(data).toEqual({
      eventId: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      delivered: true,
      attempt: 1,
      trigger: 'manual',
      responseCode: 200,
      error: null,
      durationMs: expect.any(Number),
      responseBody: 'said 200',
      createdAt: expect.stringMatching(/Z$/),
    })
    const logged = expectSuccess(await service.staging.get(`/v1/webhooks/events/${data.eventId}`))
    expect(logged).toMatchObject({ event: 'webhook.test', status: 'delivered', attempts: 1, nextAttemptAt: null })
  })

  it('says how it failed, and is not tried again', async () => {
    receiver.answers.push(503)
    const data = expectSuccess(await test(id, {}))
    expect(data).toMatchObject({ delivered: false, responseCode: 503, responseBody: 'said 503' })
    expect(data.error).toMatch(/503/)
    const logged = expectSuccess(await service.staging.get(`/v1/webhooks/events/${data.eventId}`))
    expect(logged).toMatchObject({ status: 'failed', nextAttemptAt: null })
  })

  it('says why the receiver could not be reached', async () => {
    const nobody = await subscribe(service.staging, { url: 'https://127.0.0.1:1/hooks' })
    const data = expectSuccess(await test(nobody.id))
    expect(data).toMatchObject({ delivered: false, responseCode: null, responseBody: null })
    expect(data.error).not.toBe('')
  })

  it('calls no address that is not public, in production', async () => {
    const inside = await subscribe(service.production, { url: 'https://127.0.0.1:1/hooks' })
    const data = expectSuccess(await service.production.post(`/v1/webhooks/${inside.id}/test`))
    expect(data).toMatchObject({ delivered: false, responseCode: null })
    expect(data.error).toMatch(/not a public one/)
  })

  it('works for a disabled webhook', async () => {
    expectSuccess(await service.staging.patch(`/v1/webhooks/${id}`, { status: 'disabled' }))
    expect(expectSuccess(await test(id))).toMatchObject({ delivered: true })
  })
})

describe('503', () => {
  it('beyond two tests of one webhook at once, before anything is written; other webhooks are not affected', async () => {
    const slow = await useReceiver()
    slow.behave('/slow', 'hang')
    const hanging = await subscribe(service.staging, { url: slow.url('/slow'), events: ['transfer.failed'] })
    const other = await subscribe(service.staging, { url: slow.url('/other'), events: ['transfer.failed'] })
    slow.behave('/other', 200)
    const underWay = [test(hanging.id), test(hanging.id)]
    await slow.received('/slow', 2)
    const refused = await Promise.all(Array.from({ length: 20 }, () => test(hanging.id)))
    for (const answer of refused) {
      expectError(answer, 503, 'SERVICE_UNAVAILABLE', /^Too many tests are under way: at most 2 of one webhook at once/)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    expect(expectSuccess(await test(other.id))).toMatchObject({ delivered: true })
    const logged = await service.staging.get(`/v1/webhooks/events?webhookId=${hanging.id}`)
    expect(logged.body.meta?.pagination.total).toBe(2)
    slow.answerAll(200)
    for (const answer of await Promise.all(underWay)) expect(expectSuccess(answer)).toMatchObject({ delivered: true })
    slow.behave('/slow', 200)
    expect(expectSuccess(await test(hanging.id))).toMatchObject({ delivered: true })
  })
})

describe('404', () => {
  it.each([unknownWebhook, ...oddIds])('%s', async (unknown) => {
    expectError(await test(unknown), 404, 'NOT_FOUND')
  })
})
