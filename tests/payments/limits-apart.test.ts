// The service writes and reads the count of a day for each business alone, whatever the rows beside it hold.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { toMoney } from '#platform/money.ts'
import { payoutKinds, setLimits, readLimits, writeDays } from '#payments/limits.ts'
import { totalsOfDay } from '#payments/verify.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, ctx, open } = await useSettling()
const lane = inLane(ctx.db, 1)
let tenants: Tenant[]

/** Three businesses with daily limits have counted one, two and three naira, whatever they paid out. */
beforeEach(async () => {
  await asOwner(database, 'truncate payment, payout_limit')
  const room = await open()
  tenants = [...room.tenants, room.businesses[0].tenants.staging]
  for (const tenant of tenants) await setLimits(ctx, tenant, { perDay: toMoney(1_000_000) })
  await room.accept(tenants[0] as Tenant, 'R-1')
  await count(tenants, [100, 200, 300])
})

async function count(of: Tenant[], amounts: number[]): Promise<void> {
  const rows = await readLimits(lane, idsOf(of))
  const changed = of.map(({ id }, index) => {
    const row = rows.find(({ tenantId }) => tenantId === id)
    if (row === undefined) throw new Error('it has no limit')
    return { ...row, dayAmount: toMoney(amounts[index] ?? 0) }
  })
  await ctx.db.transaction((tx) => Promise.resolve(writeDays(tx, changed)), 1)
}

const idsOf = (of: Tenant[]) => of.map(({ id }) => id)

async function counted(): Promise<unknown[]> {
  const rows = await readLimits(lane, idsOf(tenants))
  return tenants.map(({ id }) => rows.find(({ tenantId }) => tenantId === id)?.dayAmount)
}

it('several days are written at once, each with its own amount', async () => {
  expect(await counted()).toEqual([100n, 200n, 300n])
  await count(tenants.slice(1), [7, 8])
  expect(await counted()).toEqual([100n, 7n, 8n])
})

it('a day is proved from its own row and its own payouts, and only while it is limited', async () => {
  const [row] = await readLimits(lane, idsOf(tenants))
  const day = row?.day ?? ''
  const totals = (tenant: Tenant) =>
    totalsOfDay(
      lane,
      { ...tenant, currency: 'NGN', day },
      payoutKinds.map((kind) => ({ kind, ordinal: 0n })),
    )
  expect(await Promise.all(tenants.map(totals))).toEqual([
    { counted: '100', accepted: '100000' },
    { counted: '200', accepted: '0' },
    { counted: '300', accepted: '0' },
  ])
  await asOwner(database, 'update payout_limit set per_day = null where tenant_id = $1', [tenants[1]?.id])
  expect(await totals(tenants[1] as Tenant)).toBeUndefined()
})
