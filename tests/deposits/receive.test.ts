// Notices become deposits: each once, and only for the business of its account.

import { describe, expect, it } from 'vitest'
import { balancesOf } from '#tests/ledger/books.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx } = room

describe('a notice', () => {
  it('that comes a hundred times at once makes one deposit and one credit', async () => {
    const tenant = await room.newTenant()
    const notice = room.notice({ accountNumber: await room.openStatic(tenant), amount: 10_000 })
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => room.deposits.receive('production', notice)))
    expect(outcomes.filter(({ kind }) => kind === 'recorded')).toHaveLength(1)
    expect(outcomes.filter(({ kind }) => kind === 'unchanged')).toHaveLength(99)
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 9_900n })
  })

  it('of two providers with the same id is two deposits', async () => {
    const tenant = await room.newTenant()
    const notice = room.notice({ amount: 50 })
    for (const provider of ['one', 'two']) {
      const number = await room.openStatic(tenant)
      await room.openedBy(number, provider)
      const told = { ...notice, provider, account: { number } }
      expect((await room.deposits.receive('production', told)).kind).toBe('recorded')
    }
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 100n })
  })

  it('for an unknown account, or one of the other environment, is stored once for each status', async () => {
    const tenant = await room.newTenant()
    const elsewhere = room.notice({ accountNumber: await room.openStatic(tenant), status: 'PENDING' })
    const notices = [elsewhere, elsewhere, { ...elsewhere, status: 'SUCCESSFUL' as const }]
    for (const notice of notices) expect((await room.deposits.receive('staging', notice)).kind).toBe('kept')
    const kept = await asOwner(
      database,
      'select status, amount, resolved_at from inbound_notice where provider_id = $1 order by status',
      [elsewhere.providerId],
    )
    expect(kept).toEqual([
      { status: 'PENDING', amount: '100000', resolved_at: null },
      { status: 'SUCCESSFUL', amount: '100000', resolved_at: null },
    ])
  })

  it('for an account of another business cannot be recorded for this one', async () => {
    const [tenant, other] = [await room.newTenant(), await room.newTenant()]
    const notice = room.owned({ accountNumber: await room.openStatic(other) })
    expect((await room.lanes.of(tenant.lane).submit(room.receiving, { kind: 'notice', tenant, notice })).kind).toBe(
      'not-found',
    )
  })
})
