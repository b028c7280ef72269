// Production with a rail, and after its rail was taken away: what was accepted is still replayed, and what is new is
// refused before the balance is looked at but after the reference is.

import { describe, expect, it } from 'vitest'
import { systemClock } from '#base/clock.ts'
import { createClient, expectError, expectSuccess } from '#tests/support/client.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService } from '#tests/support/service.ts'
import { createScriptedPayout, succeeded } from '#tests/support/scripted-rail.ts'
import { balanceOf, transferBody, untilStatus } from './requests.ts'

const path = '/v1/transfers/initiate'

describe('a production environment', () => {
  it('sends through its rail; without it, replays and conflicts still come before the 503', async () => {
    const database = await createTestDatabase()
    const rail = createScriptedPayout(systemClock)
    rail.onSubmit = () => succeeded
    const served = await startService({ database, rails: { production: [{ name: 'fake', payout: rail }] } })
    const { id } = served.business.tenants.production
    // As if money had come in: a balance and the movement that explains it.
    await asOwner(
      database,
      `update ledger_account set credits = 1000000, movements = 1 where tenant_id = '${id}' and name = 'available';
       update ledger_account set debits = 1000000, movements = 1 where tenant_id = '${id}' and name = 'opening';
       insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
       values (1, '${id}', '${id}', 'NGN', 'opening', 'available', 1000000, 'opening', '${id}', 'opening balance', 1, 1000000, now());`,
    )
    const body = transferBody({ amount: 100_000 })
    const first = expectSuccess(await served.production.post(path, body))
    await untilStatus(served.production, String(body['reference']), 'SUCCESS')
    expect(await balanceOf(served.production)).toMatchObject({ available: 899_000, reserved: 0 })
    expect(rail.asked.map(({ call }) => call)).toEqual(['submit'])
    await served.stop()

    const without = await startService({ database })
    const client = createClient(`${without.url}/production`, served.liveKey)
    const replay = await client.post(path, body)
    expect(expectSuccess(replay)).toEqual(first)
    expect(replay.headers['idempotent-replayed']).toBe('true')
    expectError(await client.post(path, { ...body, amount: 9_000_000 }), 409, 'CONFLICT')
    const fresh = transferBody({ amount: 9_000_000 })
    expectError(await client.post(path, { ...fresh, bankSlug: 'no-such-bank' }), 400, 'INVALID_BANK')
    expectError(await client.post(path, fresh), 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
    client.close()
    await without.stop()
    await database.drop()
  })
})
