// The finding about a wrong figure, and up to which hour figures are counted again.

import { expect, it } from 'vitest'
import { verifyLedger } from '#ledger/verify.ts'
import { rebuildFigures, figureInvariants } from '#payments/stats.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
const hourMs = 3_600_000

it('a wrong figure is named by its hour, its kind, how it ended and, where there is one, the reason', async () => {
  const { tenants, accept, settle } = await open()
  const [tenant] = tenants
  for (const reference of ['A', 'B']) await accept(tenant, reference)
  await settle(tenant, 'A', { result: { kind: 'succeeded' } })
  await settle(tenant, 'B', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' } })
  const breaches = async () =>
    (await verifyLedger(ctx, { invariants: figureInvariants })).filter(({ tenantId }) => tenantId === tenant.id)
  expect(await breaches()).toEqual([])
  await asOwner(database, `update hourly_stat set count = count + 1 where outcome in ('succeeded', 'failed')`)
  const hour = new Date(Math.floor(clock.now() / hourMs) * hourMs).toISOString()
  expect(await breaches()).toMatchObject([
    {
      ids: [`${hour} bank_transfer failed DO_NOT_HONOR`, `${hour} bank_transfer succeeded`],
      message: 'figures of these hours differ; manilla figures rebuild counts them anew',
    },
  ])
})

it('figures of this hour and of the one before are left as they were counted', async () => {
  const { tenants, accept } = await open()
  const [tenant] = tenants
  clock.advance(hourMs - (clock.now() % hourMs))
  const startMs = clock.now()
  for (const hour of [0, 1, 2]) {
    await accept(tenant, `HOUR-${hour}`)
    clock.advance(hourMs)
  }
  clock.advance(-1)
  const mine = `tenant_id = '${tenant.id}'`
  await asOwner(database, `update hourly_stat set count = 7 where ${mine}`)
  const before = new Date(startMs + hourMs)
  expect(await rebuildFigures(ctx, tenant)).toEqual({ before, rows: 1 })
  const counts = await asOwner(database, `select hour, count::int from hourly_stat where ${mine} order by hour`)
  expect(counts).toEqual([1, 7, 7].map((count, hour) => ({ hour: new Date(startMs + hour * hourMs), count })))
})
