// The history of a payment: its events, the questions to its rail, and the part that its business sees.

import { describe, expect, it } from 'vitest'
import { parseId } from '#platform/ids.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { useService } from '#tests/support/service.ts'
import { neverEnding, transferBody, untilStatus } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20', WEBHOOK_RETRY_SCHEDULE: '1,1' } })
const { staging } = service
const owner = await addPerson(service, { role: 'owner' })
const here = below(service, 'staging')
const ask = async (answer: ReturnType<typeof staging.get>) => expectSuccess(await answer)

async function pay(reference: string, changes: Record<string, unknown> = {}) {
  await ask(staging.post('/v1/transfers/initiate', transferBody({ reference, ...changes })))
}

describe('the story of a payment', () => {
  it('shows the events, the money moved, the deliveries, and the answers of the rail', async () => {
    const receiver = await startReceiver()
    const { id } = await ask(
      staging.post('/v1/webhooks', { url: receiver.url('/story'), events: ['transfer.success', 'transfer.reversed'] }),
    )
    await pay('STORY', { accountNumber: neverEnding })
    expect((await ask(owner.get(`${here}/payments/STORY/story`))).says).toMatch(
      /^It was sent. The bank has not confirmed it yet/,
    )
    for (const status of ['SUCCESS', 'REVERSED'])
      await ask(staging.post('/v1/sandbox/transfers/STORY/complete', { status }))
    await untilHolds(async () => {
      const story = await ask(owner.get(`${here}/payments/STORY/story`))
      expect(story.payment).toMatchObject({ kind: 'transfer', reference: 'STORY', status: 'REVERSED' })
      expect(story.timeline.map(({ what }: { what: string }) => what)).toEqual([
        'accepted',
        'sent',
        'succeeded',
        'returned',
      ])
      expect(story.movements.map(({ from, to, type }: Record<string, string>) => `${from} ${to} ${type}`)).toEqual([
        'available reserved hold',
        'reserved rail payout',
        'reserved fees payout_fee',
        'rail available reversal',
        'fees available fee_refund',
      ])
      expect(
        story.deliveries.map(({ eventType, status }: Record<string, string>) => `${eventType} ${status}`).toSorted(),
      ).toEqual(['transfer.reversed delivered', 'transfer.success delivered'])
    })
    const secret = receiver.url('/story')
    for (const role of ['finance', 'viewer'] as const) {
      const person = await addPerson(service, { role })
      const story = await person.get(`${here}/payments/STORY/story`)
      expect(expectSuccess(story).deliveries).toBeNull()
      await asOwner(
        service.database,
        `update webhook_subscription set failing_since = now() where id = '${parseId('webhook', id)}'`,
      )
      const alerts = await person.get(`${here}/alerts`)
      expect(expectSuccess(alerts).alerts).toBeDefined()
      for (const { text } of [story, alerts]) for (const leak of [secret, id]) expect(text).not.toContain(leak)
      expect((await owner.get(`${here}/alerts`)).text).toContain(secret)
    }
    await ask(staging.delete(`/v1/webhooks/${id}`))
    await receiver.close()
  })

  it('tells what a rail answered that could not tell, and that it failed', async () => {
    await pay('DOWN', { accountNumber: '9990000091' })
    await untilStatus(staging, 'DOWN', 'FAILED')
    const story = await ask(owner.get(`${here}/payments/DOWN/story`))
    expect(story.look).toBeNull()
    // On a slow machine it has failed by the time of the first answer.
    expect(story.tries.at(-1)).toMatchObject({ answered: 'failed', times: 1, rail: 'simulator' })
    expect(story.says).toBe('It failed. Amount and fee are in the balance again.')
  })

  it.each([
    ['transfers/initiate', transferBody({ accountNumber: neverEnding })],
    ['momo/transfer', { reference: 'MOMO-W', amount: 50_000, phoneNumber: '08000000008' }],
    ['momo/collection', { reference: 'COLLECT-W', amount: 50_000, phoneNumber: '08000000008' }],
  ])('says of one of %s that waits how often its rail was asked, and when it is next', async (path, body) => {
    const { reference } = await ask(staging.post(`/v1/${path}`, body))
    const story = async () => ask(owner.get(`${here}/payments/${reference}/story`))
    const put = async (changes: string) =>
      asOwner(service.database, `update payment set ${changes} where reference = $1`, [reference])
    const nextAt = new Date(Date.now() + 600_000).toISOString()
    await put(`rail_word = 'unknown', asks = 3, due_at = '${nextAt}'`)
    expect((await story()).look).toEqual({ did: 'asked', times: 3, nextAt })
    await put(`rail_word = 'no-rail'`)
    expect((await story()).look).toEqual({ did: 'asked', times: 0, nextAt })
    await put(`rail_word = 'unknown', submitted_at = null`)
    expect((await story()).look).toEqual({ did: 'tried', times: 3, nextAt })
    // A process has leased it, and the lease ends then.
    await put('rail_word = null')
    expect((await story()).look).toEqual({ did: 'tried', times: 3, nextAt: null })
  })

  it('is not there for an unknown payment', async () => {
    expectError(await owner.get(`${here}/payments/NOBODY/story`), 404, 'NOT_FOUND', /staging/)
  })
})
