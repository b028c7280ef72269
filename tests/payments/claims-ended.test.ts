// The claim of a payment that ended while it waited to be submitted again: the rail is asked about it, and it is never
// submitted.

import { expect, it } from 'vitest'
import { inLane } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { pausePayouts } from '#payments/brakes.ts'
import { claimPayments } from '#payments/queries.ts'
import { commandOf, useSettling } from './settling.ts'

const { clock, ctx, open } = await useSettling()

it('a payout that a notice ended before it was submitted again counts as submitted, also during a pause', async () => {
  const { accept, rows, settle, tenants } = await open()
  const [tenant] = tenants
  expect((await accept(tenant, 'R', commandOf(tenant, { reference: 'R' }))).kind).toBe('accepted')
  const source = { kind: 'rail', environment: 'production', rail: 'a' } as const
  const result = { kind: 'succeeded', lookAgainMs: minuteMs } as const
  expect((await settle(tenant, 'R', { result, source })).kind).toBe('settled')
  const [ended] = await rows(tenant)
  expect(ended).toMatchObject({ status: 'SUCCESS', submitted_at: null })
  await pausePayouts(ctx, {})
  const later = new Date(clock.now() + 2 * minuteMs)
  const claim = { leaveBeforeMs: Infinity, heldUntil: later, limit: 10, limitPerQueue: 10, rooms: [] }
  const { leased, held } = await claimPayments(inLane(ctx.db, 1), { ...claim, now: later, leaseEnd: later })
  expect(held).toEqual([])
  expect(leased).toMatchObject([{ payment: { reference: 'R' }, sentBefore: true }])
})
