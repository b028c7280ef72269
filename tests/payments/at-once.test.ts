// Many requests at once, over HTTP, on one and on two processes: one reference is one transfer, and a balance is never
// overdrawn.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, useService } from '#tests/support/service.ts'
import { eventsOf } from './process.ts'
import { balanceOf, neverEnding, newReference, transferBody, untilStatus } from './requests.ts'
import { createClient } from '#tests/support/client.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const opening = 100_000_000_000
const path = '/v1/transfers/initiate'

async function openSecond(): Promise<{ client: Client; stop: () => Promise<void> }> {
  const second = await startService({ database: service.database, settings: { SANDBOX_SETTLE_MS: '20' } })
  const client = createClient(`${second.url}/staging`, service.testKey)
  return {
    client,
    stop: async () => {
      client.close()
      await second.stop()
    },
  }
}

const countOf = async (sql: string, reference: string): Promise<number> =>
  Number((await asOwner<{ count: string }>(service.database, sql, [reference]))[0]?.count)

describe('fifty requests with one reference', () => {
  it.each([1, 2])('are one transfer, one debit and one answer, on %i processes', async (processes) => {
    const second = processes === 2 ? await openSecond() : undefined
    const clients = [service.staging, second?.client ?? service.staging]
    const before = await balanceOf(service.staging)
    const body = transferBody()
    const reference = String(body['reference'])
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (clients[index % 2] ?? service.staging).post(path, body)),
    )
    const [first] = answers
    for (const answer of answers) expect(expectSuccess(answer)).toEqual(first?.body.data)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
    await untilStatus(service.staging, reference, 'SUCCESS')
    expect(before.ledger - (await balanceOf(service.staging)).ledger).toBe(151_000)
    expect(await countOf('select count(*) from payment where reference = $1', reference)).toBe(1)
    expect(await countOf('select count(*) from ledger_movement where reference = $1', reference)).toBe(3)
    expect(await eventsOf(service.database, reference)).toEqual(['transfer.success'])
    await second?.stop()
  })

  it('that differ are one transfer and conflicts that name it', async () => {
    const reference = newReference()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        service.staging.post(path, transferBody({ reference, amount: 100 + (index % 2), accountNumber: neverEnding })),
      ),
    )
    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 409)
    expect([accepted.length, refused.length]).toEqual([25, 25])
    const { id, amount } = expectSuccess(accepted[0] as Answer)
    for (const answer of accepted) expect(answer.body.data).toEqual(accepted[0]?.body.data)
    for (const answer of refused) expectError(answer, 409, 'CONFLICT', new RegExp(id))
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).amount).toBe(amount)
  })
})

describe('five hundred transfers over a balance that pays for two hundred', () => {
  it.each([1, 2])('overdraw nothing: exactly what can be paid is accepted, on %i processes', async (processes) => {
    const { testKey, staging } = await service.addBusiness('Spender')
    const second = processes === 2 ? await startService({ database: service.database }) : undefined
    const other = second === undefined ? undefined : createClient(`${second.url}/staging`, testKey)
    const each = opening / 200
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        (index % 2 === 0 ? staging : (other ?? staging)).post(
          path,
          transferBody({ amount: each - 5_000, accountNumber: neverEnding }),
        ),
      ),
    )
    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 400)
    expect([accepted.length, refused.length]).toEqual([200, 300])
    for (const answer of refused) expectError(answer, 400, 'INSUFFICIENT_BALANCE')
    expect(await balanceOf(staging)).toEqual({ currency: 'NGN', available: 0, reserved: opening, ledger: opening })
    const list = await staging.get('/v1/transfers?limit=1')
    expect(list.body.meta?.pagination.total).toBe(200)
    other?.close()
    await second?.stop()
  })
})
