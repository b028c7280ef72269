// Production with a rail, and after its rail was removed: the service still replays accepted requests, and refuses new
// ones after it has looked for the reference and before it looks at the balance.

import { describe, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createClient, expectError, expectSuccess } from '#tests/support/client.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { fundTenant } from '#tests/support/fund.ts'
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
    await fundTenant(database, served.business.tenants.production.id, 1_000_000)
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
