// The loop claims a due collection whatever is paused or stopped, because brakes are about payouts.

import { expect, it } from 'vitest'
import { inLane } from '#platform/db/db.ts'
import { pausePayouts, stopRail } from '#payments/brakes.ts'
import { claimPayments } from '#payments/queries.ts'
import { commandOf, useSettling } from './settling.ts'

const { clock, ctx, open } = await useSettling()

it('a collection is not held back by a pause of all, nor by a stop of its rail', async () => {
  const { accept, tenants } = await open()
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
  const collection = { ...wallet, kind: 'momo_collection', reference: 'IN', approval: { kind: 'handset' } } as const
  await accept(tenants[0], 'IN', { draft: commandOf(tenants[0], collection).draft })
  await accept(tenants[0], 'OUT')
  await pausePayouts(ctx, {})
  await ctx.db.transaction((tx) => stopRail(ctx, tx, { environment: 'production', rail: 'a', why: 'a test' }))
  const [now, later] = [new Date(clock.now()), new Date(clock.now() + 60_000)]
  const claim = {
    now,
    leaseEnd: later,
    leaveBeforeMs: Infinity,
    heldUntil: later,
    limit: 10,
    limitPerQueue: 10,
    rooms: [],
  }
  const { leased, held } = await claimPayments(inLane(ctx.db, 1), claim)
  expect(leased.map(({ payment }) => payment.reference)).toEqual(['IN'])
  expect(held.map(({ payment }) => payment.reference)).toEqual(['OUT'])
})
