import { describe, expect, it } from 'vitest'
import type { Endpoint } from '#http/endpoint.ts'
import { transfersBulk } from '#http/v1/transfers-bulk.ts'
import { acceptOperation } from '#payments/accept.ts'
import { pausePayouts, resumePayouts } from '#payments/pauses.ts'
import type { Payments } from '#payments/payments.ts'
import { commandFor, requestOf } from '#tests/payments/process.ts'
import { neverEnding, transferBody, untilPaused } from '#tests/payments/requests.ts'
import { expectError, expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService()
type Item = Record<string, unknown>
const item = (changes: Item = {}): Item => transferBody({ accountNumber: neverEnding, ...changes })
const send = (transfers: Item[], client: Client): Promise<Answer> => client.post('/v1/transfers/bulk', { transfers })
const referencesOf = (list: Item[]): unknown[] => list.map(({ reference }) => reference)
const outcomesOf = (answer: Answer): string[] =>
  expectSuccess(answer).results.map(({ outcome }: { outcome: string }) => outcome)

async function stored(references: unknown[]): Promise<number> {
  const rows = await asOwner(service.database, 'select 1 from payment where reference = any($1)', [references])
  return rows.length
}

describe('403 PAYOUTS_PAUSED', () => {
  it('as a whole while an item would be new, and stores nothing', async () => {
    const { business, staging } = await service.addBusiness('Paused')
    const known = item()
    expect(outcomesOf(await send([known], staging))).toEqual(['accepted'])
    await pausePayouts(service.ctx, { businessId: business.id })
    const list = [known, item(), item({ amount: 0 })]
    await untilPaused(staging, true)
    expectError(await send(list, staging), 403, 'PAYOUTS_PAUSED')
    expect(await stored(referencesOf(list.slice(1)))).toBe(0)
    expect(outcomesOf(await send([known, item({ amount: 0 })], staging))).toEqual(['replayed', 'refused'])
    await resumePayouts(service.ctx, [business.tenants.staging.lane], { businessId: business.id })
    await untilPaused(staging, false)
    expect(outcomesOf(await send(list, staging))).toEqual(['replayed', 'accepted', 'refused'])
  })

  it('for each item that was left when it began in the middle: what was accepted is told', async () => {
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
