// Collected money becomes a deposit in the transaction that settles the collection: numbered with the business's other
// deposits, credited at once, and never dated before it came.

import { expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { depositFees } from '#deposits/fees.ts'
import { createInflows, type Inflow } from '#deposits/from-collection.ts'
import { positionsOf } from '#deposits/record.ts'
import { depositList } from '#deposits/list.ts'
import { openBook } from '#ledger/post.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx } = room
const inflows = createInflows(ctx, depositFees)
const tenant = await room.newTenant()

function inflow(providerId: string, atMs: number): Inflow {
  const sender = { senderAccountName: '', senderAccountNumber: '', senderBankName: '', narration: '' }
  const money = { currency: 'NGN' as const, amount: toMoney(10_000), fee: inflows.feeOf(toMoney(10_000), 'NGN') }
  return { tenantId: tenant.id, provider: 'momo', providerId, ...money, ...sender, atMs }
}

type Row = { ordinal: string; provider_id: string; status: string; held: boolean; paid_at: Date; created_at: Date }
const rows = () => asOwner<Row>(database, 'select * from deposit where tenant_id = $1 order by ordinal', [tenant.id])

it('follows what its business had before, also where it is looked at twice in one transaction', async () => {
  const notice = room.notice({ accountNumber: await room.openStatic(tenant), amount: 10_000 })
  expect((await room.deposits.receive('production', notice)).kind).toBe('recorded')
  ctx.clock.advance(1_000)
  const nowMs = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await openBook(tx, new Set([tenant.id]))
    await inflows.expect(tx, [tenant.id])
    inflows.record(tx, inflow('A', nowMs - 500))
    inflows.record(tx, inflow('B', nowMs + 500))
    positionsOf(tx).add(await depositList.lastOfTenants(tx, [tenant.id]))
    inflows.record(tx, inflow('C', nowMs))
  }, tenant.lane)
  const found = await rows()
  expect(found.map(({ ordinal, provider_id: id }) => [ordinal, id])).toEqual([
    ['1', notice.providerId],
    ['2', 'A'],
    ['3', 'B'],
    ['4', 'C'],
  ])
  const atMs = found.slice(1).map(({ created_at: at }) => at.getTime() - nowMs)
  expect(atMs).toEqual([0, 500, 500])
  for (const { status, held, paid_at: paidAt, created_at: at } of found.slice(1))
    expect([status, held, paidAt]).toEqual(['SUCCESSFUL', false, at])
  expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 4n * 9_900n, fees: 400n })
})
