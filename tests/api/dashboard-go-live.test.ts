// Going live: a checklist that completes itself. The first live key needs all of it.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { formatId } from '#platform/ids.ts'
import { createBusiness, findTenant } from '#businesses/business.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { startService, useService } from '#tests/support/service.ts'

const service = await useService({ roles: ['api'] })
const strong = { hasFactor: true, steppedUp: true }
// Made as the CLI makes it: without a key.
const { id: business } = await createBusiness(service.ctx, 'To be live')
const path = `/b/${formatId('business', business)}`
const owner = await addPerson(service, { role: 'owner', business, ...strong })
const goLive = `${path}/production/go-live`

type Point = { id: string; state: string; says: string; waivedBy: string | null; reason: string | null }

async function stateOf(id: string): Promise<Point | undefined> {
  return expectSuccess(await owner.get(goLive)).points.find((point: Point) => point.id === id)
}

describe('the list', () => {
  it('says what each point lacks', async () => {
    const { points, isReady, hasLiveKey } = expectSuccess(await owner.get(goLive))
    expect(points.map(({ id, state }: Point) => [id, state])).toEqual([
      ['second-factors', 'done'],
      ['two-owners', 'open'],
      ['webhook', 'open'],
      ['signature', 'open'],
      ['failed-transfer', 'open'],
      ['unknown-transfer', 'open'],
      ['low-balance', 'open'],
      ['rail', 'open'],
    ])
    expect({ isReady, hasLiveKey }).toEqual({ isReady: false, hasLiveKey: false })
  })

  it('checks itself: a member who may send money without a second factor opens a point, and another owner closes one', async () => {
    const finance = await addPerson(service, { role: 'finance', business })
    expect(await stateOf('second-factors')).toMatchObject({ state: 'open', says: expect.stringContaining('Person') })
    await addPerson(service, { role: 'owner', business, ...strong })
    expect(await stateOf('two-owners')).toMatchObject({ state: 'done' })
    expectError(await finance.get(goLive), 403, 'FORBIDDEN')
  })

  it('asks for a low-balance alert in every currency that is used: one in cedis does not stand for naira', async () => {
    const other = await createBusiness(service.ctx, 'In two currencies')
    const production = `/b/${formatId('business', other.id)}/production`
    const person = await addPerson(service, { role: 'owner', business: other.id, ...strong })
    const said = async (): Promise<string | undefined> =>
      expectSuccess(await person.get(`${production}/go-live`)).points.find(({ id }: Point) => id === 'low-balance')
        ?.says
    expect(await said()).toBe('Set an amount below which the balance is low.')
    expectSuccess(await person.patch(`${production}/currencies`, { on: ['GHS'] }))
    expectSuccess(await person.patch(`${production}/low-balance`, { amount: 5_000, currency: 'GHS' }))
    // No naira moved yet, so this business may work in cedis alone.
    expect(await said()).toContain('The amount is set')
    expectSuccess(
      await person.post(`/b/${formatId('business', other.id)}/staging/v1/sandbox/balance/fund`, { amount: 100 }),
    )
    expect(await said()).toBe('Set an amount below which the balance of NGN is low.')
    expectSuccess(await person.patch(`${production}/low-balance`, { amount: 5_000 }))
    expect(await said()).toContain('The amount is set')
  })

  it('takes transfers to wallets for those to bank accounts', async () => {
    const other = await createBusiness(service.ctx, 'Of wallets alone')
    const person = await addPerson(service, { role: 'owner', business: other.id, ...strong })
    const staging = `/b/${formatId('business', other.id)}/staging/v1`
    const stateOfTransfers = async (): Promise<string[]> =>
      expectSuccess(await person.get(`/b/${formatId('business', other.id)}/production/go-live`))
        .points.filter(({ id }: Point) => id.endsWith('-transfer'))
        .map(({ state }: Point) => state)
    const end = async (reference: string, phoneNumber: string, status: string): Promise<void> => {
      expectSuccess(await person.post(`${staging}/momo/transfer`, { reference, amount: 100_000, phoneNumber }))
      expectSuccess(await person.post(`${staging}/sandbox/momo/transfer/${reference}/complete`, { status }))
    }
    await end('W-1', '08000000001', 'SUCCESS')
    expect(await stateOfTransfers()).toEqual(['open', 'open'])
    await end('W-2', '08000000008', 'FAILED')
    expect(await stateOfTransfers()).toEqual(['done', 'done'])
  })

  it('leads from each point to the page on which it is done', async () => {
    const { points } = expectSuccess(await owner.get(goLive))
    const pages = [
      'production/team',
      'production/webhooks',
      'production/settings',
      'staging/payments',
      'staging/simulator',
    ]
    const hrefs = new Set(points.map(({ href }: { href: string | null }) => href))
    expect(hrefs).toEqual(new Set([...pages.map((page) => `/dashboard${path}/${page}`), null]))
  })
})

describe('the first live key', () => {
  it('is not made while a point is open, and the refusal names it', async () => {
    const answer = await owner.post(`${path}/production/keys`, { name: 'Live' })
    expectError(answer, 409, 'CONFLICT', /A production webhook has answered a test/)
  })

  it('is made by an owner once each open point is done or waived, with a reason that stands in the log', async () => {
    const { points } = expectSuccess(await owner.get(goLive))
    const admin = await addPerson(service, { role: 'admin', business, ...strong })
    expectError(await admin.post(`${goLive}/waive`, { id: 'rail', reason: 'Later' }), 403, 'FORBIDDEN')
    for (const { id } of points.filter(({ state }: Point) => state === 'open'))
      expectSuccess(await owner.post(`${goLive}/waive`, { id, reason: 'Tried on another machine' }))
    expect(expectSuccess(await owner.get(goLive)).isReady).toBe(true)
    expect(await stateOf('rail')).toMatchObject({
      state: 'waived',
      waivedBy: owner.email,
      reason: 'Tried on another machine',
    })
    const { entries } = expectSuccess(await owner.get(`${path}/audit?act=go-live.waived`))
    expect(entries[0].details).toMatchObject({ reason: 'Tried on another machine' })

    expectError(await admin.post(`${path}/production/keys`, { name: 'Live' }), 403, 'FORBIDDEN')
    expectSuccess(await owner.post(`${path}/production/keys`, { name: 'Live' }))
    expect(expectSuccess(await owner.get(goLive)).hasLiveKey).toBe(true)
    expectSuccess(await admin.post(`${path}/production/keys`, { name: 'Another' }))
  })

  it('waits for no point that does not exist, and for no reason that is none', async () => {
    expectError(await owner.post(`${goLive}/waive`, { id: 'nothing', reason: 'x' }), 400, 'VALIDATION_ERROR')
    expectError(await owner.post(`${goLive}/waive`, { id: 'rail', reason: ' ' }), 400, 'VALIDATION_ERROR')
  })
})

describe('a wrong signature', () => {
  it('is sent to each active webhook, is not logged as a delivery, and its result is stored until the address changes', async () => {
    const receiver = await startReceiver()
    const other = await startService({ roles: ['api'] })
    const member = await addPerson(other, { role: 'developer' })
    const answers = { strict: 401, lax: 200, broken: 500, missing: 404 }
    const ids = new Map<string, string>()
    const secrets: string[] = []
    for (const [name, status] of Object.entries(answers)) {
      receiver.behave(`/${name}`, status)
      const body = { url: receiver.url(`/${name}`), events: ['transfer.success'] }
      const { id, secret } = expectSuccess(await other.staging.post('/v1/webhooks', body))
      ids.set(name, id)
      secrets.push(secret)
    }
    const refusedAt = async () =>
      (
        await asOwner<{ url: string }>(
          other.database,
          'select url from webhook_subscription where forgery_refused_at is not null',
        )
      ).map(({ url }) => new URL(url).pathname)
    const { webhooks } = expectSuccess(await member.post(`${below(other, 'staging')}/forgeries`))
    const verdicts = webhooks.map(({ url, verdict }: Record<string, string>) => [new URL(url ?? '').pathname, verdict])
    expect(Object.fromEntries(verdicts)).toEqual({
      '/strict': 'refused',
      '/lax': 'taken',
      '/broken': 'unclear',
      '/missing': 'unclear',
    })
    expect(receiver.deliveries).toHaveLength(4)
    for (const { body, headers } of receiver.deliveries) {
      const [, time = ''] = /^t=(\d+),v1=[0-9a-f]{64}$/.exec(String(headers['x-webhook-signature'])) ?? []
      const right = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
      expect(time).not.toBe('')
      for (const signature of right) expect(String(headers['x-webhook-signature'])).not.toContain(signature)
    }
    expect(expectSuccess(await other.staging.get('/v1/webhooks/events')).events).toEqual([])
    expect(await refusedAt()).toEqual(['/strict'])
    const { entries } = expectSuccess(await member.get(`${below(other)}/audit?act=webhook.forgery-sent`))
    expect(entries).toHaveLength(4)
    // The check is for the receiver at this address, whatever else of the subscription changes.
    const strict = `/v1/webhooks/${ids.get('strict')}`
    expectSuccess(await other.staging.patch(strict, { events: ['transfer.failed'] }))
    expect(await refusedAt()).toEqual(['/strict'])
    expectSuccess(await other.staging.patch(strict, { url: receiver.url('/elsewhere') }))
    expect(await refusedAt()).toEqual([])
    // A receiver that once accepted a forged request fails the check, also if it refused one before.
    expectSuccess(await member.post(`${below(other, 'staging')}/forgeries`))
    await other.stop()
    await receiver.close()
  })

  it('closes the point once every active webhook of production has refused one', async () => {
    const production = present(await findTenant(service.ctx, business, 'production'), 'a business has both tenants')
    const insert = (url: string, refused: string) =>
      asOwner(
        service.database,
        `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, forgery_refused_at, created_at, updated_at)
         values (${production.lane}, '${production.id}', gen_random_uuid(), '${url}', '{transfer.success}', 'active', '\\x00', 'abcd', ${refused}, now(), now())`,
      )
    await insert('https://one.example.com/', 'now()')
    expect(await stateOf('signature')).toMatchObject({ state: 'done' })
    await insert('https://two.example.com/', 'null')
    expect(await stateOf('signature')).toMatchObject({ says: expect.stringContaining('https://two.example.com/') })
  })
})
