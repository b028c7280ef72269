// What follows where a rail certainly has not got a payment, and no other can take it: it stays, it is counted, and after a
// while a person is called.

import { expect, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { takeStep } from '#payments/execution/step.ts'
import type { Payment } from '#payments/payment.ts'
import type { PayoutState } from '#rails/rail.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useHand } from './in-hand.ts'
import { settle } from './stepping.ts'

const { clock, leased, means, rails } = useHand()
const tooSmall: PayoutState = { kind: 'unknown', detail: 'no money', sent: false, why: 'float' }
const elsewhere = { attempts: 2 }

/** What comes of a payment so old that its rail has not got, and how often it was counted as one without a rail. */
async function stepOf(ageMs: number, changes: Partial<Payment> = {}, rail = 'a') {
  rails.a.onSubmit = () => tooSmall
  // The rails that it left before, of which none is to be found.
  const ctx = createTestContext({ query: async () => [] } as unknown as Db, clock)
  const one = leased(rail, { createdAt: new Date(clock.now() - ageMs), ...changes })
  const step = await takeStep({ ...means(), ctx }, one)
  return { step, homeless: (await ctx.metrics.paymentsWithoutRail.get()).values[0]?.value }
}

it('a payment that came from another rail is a concern after a minute, and no sooner', async () => {
  const soon = await stepOf(minuteMs, elsewhere)
  expect(soon).toMatchObject({ step: { kind: 'wait', unsent: true }, homeless: 1 })
  expect(soon.step).not.toHaveProperty('concern')
  expect(await stepOf(minuteMs + 1, elsewhere)).toMatchObject({ step: { concern: 'rails-exhausted' }, homeless: 1 })
})

it('… and stays that one after a day', async () => {
  expect(await stepOf(25 * hourMs, elsewhere)).toMatchObject({ step: { concern: 'rails-exhausted' } })
})

it('a payment that was at no other waits for its own, and is none of these', async () => {
  const { step, homeless } = await stepOf(hourMs)
  expect([step.kind, homeless]).toEqual(['wait', 0])
  expect(step).not.toHaveProperty('concern')
})

it('a payment whose only rail is gone is counted, and is told as what it is', async () => {
  expect(await stepOf(1_000, {}, 'gone')).toMatchObject({ step: { kind: 'wait', unsent: true }, homeless: 1 })
  expect(await stepOf(hourMs, {}, 'gone')).toMatchObject({ step: { concern: 'payment-without-rail' }, homeless: 1 })
})

it('a payment that is given up is not counted, wherever it was', async () => {
  const parkedAt = new Date(clock.now() - hourMs)
  const failed = settle({ kind: 'failed', reason: 'PROVIDER_ERROR' })
  expect(await stepOf(2 * hourMs, { ...elsewhere, parkedAt })).toEqual({ step: failed, homeless: 0 })
})
