// The payments under way at a rail, which the comparison of its balance with our book deducts.

import { expect, it } from 'vitest'
import { sumUnderWay } from '#payments/rail-notice.ts'
import { commandOf, useSettling } from './settling.ts'

const { clock, ctx, open } = await useSettling()

it('a payout counts as leaving its rail if it was submitted, also if it waits to be submitted again', async () => {
  const { accept, postpone, tenants } = await open()
  const [tenant] = tenants
  const amounts = { UNSENT: 100n, SENT: 200n, AGAIN: 400n }
  for (const [reference, amount] of Object.entries(amounts)) {
    const { draft } = commandOf(tenant, { reference, amount: amount as typeof draft.amount })
    const keepMs = reference === 'UNSENT' ? 0 : 60_000
    expect((await accept(tenant, reference, { draft, keepMs })).kind).toBe('accepted')
  }
  const leaseEnd = new Date(clock.now() + 60_000)
  const wait = {
    leaseEnd,
    dueAt: leaseEnd,
    asks: 0,
    submittedAt: null,
    railAnswer: 'not-found',
    parkedAt: null,
  } as const
  await postpone(tenant, { ...wait, reference: 'AGAIN', submissionAnswer: 'unclear' })
  expect(await sumUnderWay(ctx.db, [tenant.lane], 'a')).toMatchObject([
    { currency: 'NGN', leaving: 600n, arriving: 0n },
  ])
})
