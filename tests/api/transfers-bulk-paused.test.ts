import { describe, expect, it } from 'vitest'
import type { Endpoint } from '#api/server/endpoint.ts'
import { transfersBulk } from '#api/v1/transfers.ts'
import { acceptOperation } from '#payments/accept.ts'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import type { Payments } from '#payments/service.ts'
import { commandFor, requestOf } from '#tests/payments/process.ts'
import { untilPaused } from '#tests/payments/requests.ts'
import { expectError } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { countStored, item, outcomesOf, referencesOf, sendBulk } from './bulk.ts'

const service = await useService()
const stored = (references: unknown[]): Promise<number> => countStored(service.database, references)

describe('403 PAYOUTS_PAUSED', () => {
  it('as a whole while an item would be new, and stores nothing', async () => {
    const { business, staging } = await service.addBusiness('Paused')
    const known = item()
    expect(outcomesOf(await sendBulk(staging, [known]))).toEqual(['accepted'])
    await pausePayouts(service.ctx, { businessId: business.id })
    const list = [known, item(), item({ amount: 0 })]
    await untilPaused(staging, true)
    expectError(await sendBulk(staging, list), 403, 'PAYOUTS_PAUSED')
    expect(await stored(referencesOf(list.slice(1)))).toBe(0)
    expect(outcomesOf(await sendBulk(staging, [known, item({ amount: 0 })]))).toEqual(['replayed', 'refused'])
    await resumePayouts(service.ctx, [business.tenants.staging.lane], { businessId: business.id })
    await untilPaused(staging, false)
    expect(outcomesOf(await sendBulk(staging, list))).toEqual(['replayed', 'accepted', 'refused'])
  })

  it('as a whole, also where the items that would be new come after hundreds that are wrong', async () => {
    const { business, staging } = await service.addBusiness('Paused later')
    await pausePayouts(service.ctx, { businessId: business.id })
    await untilPaused(staging, true)
    const wrong = Array.from({ length: 300 }, () => item({ amount: 0 }))
    expectError(await sendBulk(staging, [...wrong, item()]), 403, 'PAYOUTS_PAUSED')
  })

  it('for each item that was left when the pause came in the middle: accepted items keep their answers', async () => {
    const list = [item(), item()]
    const [first] = await service.ctx.db.transaction(
      (tx) => acceptOperation(service.ctx).run(tx, [commandFor(service.business.tenants.staging, requestOf())]),
      service.business.tenants.staging.lane,
    )
    // The pause comes between two of its batches, which no test can time.
    const room = { initiateMany: () => Promise.resolve([first, { kind: 'paused' }]) } as unknown as Payments
    const input = { caller: {}, body: { transfers: list } } as unknown as Parameters<Endpoint['handle']>[0]
    const { data } = await transfersBulk(room).handle(input)
    expect(data).toMatchObject({
      results: [{ outcome: 'accepted' }, { outcome: 'refused', error: { code: 'PAYOUTS_PAUSED' } }],
      accepted: 1,
      refused: 1,
    })
  })
})
