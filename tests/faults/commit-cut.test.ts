// The connection to PostgreSQL is cut around a COMMIT: before it arrives, or after PostgreSQL has committed and before
// its answer arrives. The service cannot know which, so its callers get an error that says so, and ask again.

import { afterAll, describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'
import { useService } from '#tests/support/service.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from './proof.ts'
import { createLoad } from './load.ts'

const settleMs = 20
/** The lease of payments whose results a process could not write. */
const leaseMs = settleMs + 10_000

const database = await useTestDatabase()
const proxy = await usePostgresProxy(database.serviceUrl)
const clock = createFakeClock()
const service = await useService({
  database: { ...database, serviceUrl: proxy.url },
  clock,
  settings: { SANDBOX_SETTLE_MS: String(settleMs) },
})
const fates = [
  ['lose-request', 'before it arrived'],
  ['lose-answer', 'when it was done'],
] as const

const load = createLoad(`${service.url}/staging`, service.testKey)
afterAll(() => load.client.close())

async function countPayments(): Promise<number> {
  const [row] = await asOwner<{ count: number }>(database, 'select count(*)::int from payment')
  return row?.count ?? 0
}

describe.each(fates)('%s: a COMMIT that accepts transfers is lost %s', (fate) => {
  it('callers get 503, and asked again each transfer exists exactly once', async () => {
    const [before, acknowledged] = [await countPayments(), load.tally.acknowledged]
    proxy.setCommitFate(fate, 'payments.insert')
    const outcomes = await load.burst(50)
    const unavailable = outcomes.filter((outcome) => outcome === 'unavailable').length
    expect(unavailable).toBeGreaterThan(0)
    expect(load.tally.acknowledged - acknowledged).toBe(50 - unavailable)
    await eventually('what the COMMIT did', async () => {
      const kept = fate === 'lose-answer' ? 50 : 50 - unavailable
      return (await countPayments()) === before + kept ? true : undefined
    })
    await load.sendAllAgain()
    expect(load.wrong).toEqual([])
    clock.advance(leaseMs)
    await untilAllHaveEnded(database)
    await expectMoneyMovedOnce(database, load)
  })
})

describe.each(fates)('%s: a COMMIT that ends transfers is lost %s', (fate) => {
  it('each transfer ends exactly once, by itself', async () => {
    const outcomes = await load.burst(50)
    expect(new Set(outcomes)).toEqual(new Set(['acknowledged']))
    const lines = service.lines.length
    proxy.reset()
    proxy.setCommitFate(fate, 'payments.end')
    // Now the simulator has an outcome for all of them.
    clock.advance(settleMs)
    await eventually('the COMMIT to cut', () => Promise.resolve(proxy.commits() > 0 ? true : undefined))
    await eventually('the service to notice', () => Promise.resolve(service.lines.length > lines ? true : undefined))
    clock.advance(leaseMs)
    await untilAllHaveEnded(database)
    expect(load.wrong).toEqual([])
    await expectMoneyMovedOnce(database, load)
  })
})
