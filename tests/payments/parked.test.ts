// A payout waits while its rail's balance is too small, and fails when that lasts too long.

import { describe, expect, it } from 'vitest'
import { createFirstSeen } from '#platform/cache.ts'
import type { Db } from '#platform/db/db.ts'
import { takeStep, type Step } from '#payments/execution/step.ts'
import type { Payment } from '#payments/payment.ts'
import type { Rail, Unknown } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createTestContext } from '#tests/support/context.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { useWorld } from '#tests/reconciliation/world.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { at, bankTransfer, momoTransfer } from './made.ts'

const hourMs = 3_600_000
const empty: Unknown = { kind: 'unknown', detail: 'not enough', sent: false, askAgainAfterMs: 60_000, why: 'float' }

async function stepAfter(payment: Payment, afterMs: number, sentBefore = false): Promise<Step> {
  const ctx = createTestContext({} as Db)
  ctx.clock.advance(at.getTime() + afterMs - ctx.clock.now())
  const says = () => Promise.resolve(empty)
  const port = { submitLeaseMs: 1_000, submit: says, status: says }
  const rail = { name: 'simulator', payout: port, momoPayout: port } as unknown as Rail
  const rails = createRailRegistry({ clock: ctx.clock, settleMs: 0, rails: { staging: [rail] } })
  const leaseEnd = new Date(ctx.clock.now() + 60_000)
  const means = {
    ctx,
    rails,
    stops: { isStopped: () => false },
    floats: { covers: async () => true },
    absences: createFirstSeen(ctx.clock),
    floatPatienceMs: 24 * hourMs,
  }
  return takeStep(means, {
    payment,
    environment: 'staging',
    sentBefore,
    leaseEnd,
    leaveBeforeMs: ctx.clock.monotonicMs() + 60_000,
  })
}

describe('a payout that its rail has no money for', () => {
  it('waits a minute at a time, and it is noted since when', async () => {
    const since = new Date(at.getTime() + 1_000)
    const wait = { kind: 'wait', ms: 60_000, unsent: true, parkedAt: since }
    expect(await stepAfter(bankTransfer(), 1_000)).toMatchObject(wait)
    expect(await stepAfter(bankTransfer({ parkedAt: since }), 24 * hourMs)).toMatchObject(wait)
  })

  it.each([
    ['PROVIDER_ERROR', bankTransfer],
    ['OPERATOR_UNAVAILABLE', momoTransfer],
  ] as const)('fails after a day with %s, which is nothing of its business', async (reason, made) => {
    const payment = made({ parkedAt: at })
    expect(await stepAfter(payment, 24 * hourMs)).toEqual({ kind: 'settle', results: [{ kind: 'failed', reason }] })
  })

  it('is only asked about once it may have left', async () => {
    expect((await stepAfter(bankTransfer({ parkedAt: at }), 25 * hourMs, true)).kind).toBe('wait')
  })
})

describe('in a service', () => {
  const world = useWorld()

  it('its money comes back when the day is over, and not before', async () => {
    const { rail, clock, service, database } = world
    rail.payout.onSubmit = () => empty
    const { reference } = await world.send()
    const statusNow = async (): Promise<string> =>
      expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status
    const parkedAt = async () =>
      (await asOwner<{ parked_at: Date | null }>(database, 'select parked_at from payment'))[0]
    await untilHolds(async () => expect((await parkedAt())?.parked_at).not.toBeNull())
    const since = (await parkedAt())?.parked_at?.getTime() ?? 0
    const before = rail.payout.asked.length
    clock.advance(23 * hourMs)
    await untilHolds(() => expect(rail.payout.asked.length).toBeGreaterThan(before))
    expect(await statusNow()).toBe('queued')
    expect((await parkedAt())?.parked_at?.getTime()).toBe(since)
    await untilHolds(async () => {
      clock.advance(hourMs)
      expect(await statusNow()).toBe('FAILED')
    })
    const [account] = expectSuccess(await service.staging.get('/v1/balance')).balances
    expect(account).toMatchObject({ reserved: 0 })
  })
})
