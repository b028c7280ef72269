// The shop of examples/: an order ships once, when its deposit is valid.

import { expect, it } from 'vitest'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { followReadme, post, serveExample } from './program.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })
const shop = await serveExample(service, 'shop')

const orderOf = async (reference: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${shop.url}/orders/${reference}`)).json()) as Record<string, unknown>

it('ships an order that is paid in full, once, and none that is paid short', async () => {
  const [paid, short] = [
    await post(`${shop.url}/orders`, { item: 'lamp' }),
    await post(`${shop.url}/orders`, { item: 'lamp' }),
  ]
  expect([paid.status, paid.body['status'], paid.body['amount']]).toEqual([201, 'awaiting payment', 725_000])
  const pay = (order: typeof paid, amount: number) =>
    service.staging.post('/v1/sandbox/deposits', { accountNumber: order.body['payTo'].accountNumber, amount })
  await pay(short, 724_900)
  await pay(paid, 725_000)
  await untilHolds(async () => expect(await orderOf(paid.body['reference'])).toMatchObject({ status: 'shipped' }))
  expect(await orderOf(short.body['reference'])).toMatchObject({ status: 'awaiting payment' })

  const [event] = (await service.staging.get('/v1/webhooks/events')).body.data.events
  const delivery = async () => (await service.staging.get(`/v1/webhooks/events/${event.id}`)).body.data
  await untilHolds(async () => expect((await delivery()).status).toBe('delivered'))
  await service.staging.post(`/v1/webhooks/events/${event.id}/retry`, { force: true })
  await untilHolds(async () => expect((await delivery()).deliveryAttempts).toHaveLength(2))
  expect(shop.text().match(/shipping ORDER-/g)).toHaveLength(1)
})

it('refuses an unknown item and a forged delivery', async () => {
  expect((await post(`${shop.url}/orders`, { item: 'boat' })).body['message']).toContain('There is: kettle, lamp')
  const forged = await fetch(`${shop.url}/webhooks`, { method: 'POST', body: '{}' })
  expect(forged.status).toBe(400)
})

it('does what its README says', async () => {
  const before = shop.text().length
  expect(await followReadme(service, 'shop', shop)).toMatch(/"amount":725000[^]*"SUCCESSFUL"/)
  await untilHolds(() => expect(shop.text().slice(before)).toContain('shipping ORDER-'))
})
