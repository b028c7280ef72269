// Adjusting a balance by hand: once for each review item, with an entry in the audit log and on the statement, and
// never below zero.

import { describe, expect, it } from 'vitest'
import type { Actor, Tenant } from '#platform/context.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
import { createLanes } from '#platform/db/lane.ts'
import { amountMax, toMoney } from '#platform/money.ts'
import { createCorrections, type AdjustRequest, correctionInvariants } from '#corrections/corrections.ts'
import { closeException } from '#review/review-queue.ts'
import { listEntries } from '#ledger/statement.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { createSettleByHand } from '#payments/settle.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useSettling } from '#tests/payments/settling.ts'
import { asOwner } from '#tests/support/owner.ts'
import { itemOf, newBreak, newException } from './items.ts'

const { database, ctx, lanes, open } = await useSettling()
const by: Actor = { kind: 'terminal', name: 'ada@office' }
const invariants = [...ledgerInvariants, ...correctionInvariants]
const opened = 10_000_000n

const correctionsOn = (laneOf: typeof lanes.of) =>
  createCorrections({ ctx, laneOf, settleByHand: createSettleByHand(ctx, laneOf) })
const corrections = correctionsOn(lanes.of)

function adjust(tenant: Tenant, because: string, amount: bigint, more: Partial<AdjustRequest> = {}) {
  const wish: AdjustRequest = { currency: 'NGN', amount: toMoney(amount), because, note: 'ticket 881', by, ...more }
  return corrections.adjust(tenant, wish)
}

const actsAbout = (subject: string) =>
  asOwner(database, 'select actor, act, details::json as details from audit_entry where subject = $1 order by number', [
    subject,
  ])

const available = async (tenant: Tenant) => (await balancesOf(ctx.db, tenant))['available']

describe('an adjustment', () => {
  it('adds money, closes its item with the note, stands on the statement and in the audit log', async () => {
    const [tenant] = (await open()).tenants
    const because = await newException(database, ctx, tenant)
    expect(await adjust(tenant, because, 2_500n)).toEqual({ kind: 'adjusted', available: opened + 2_500n })
    expect(await itemOf(database, ctx, because)).toMatchObject({ closed_at: expect.any(Date), note: 'ticket 881' })
    const { entries } = (await listEntries(ctx, tenant, 'NGN', { page: 1, limit: 1 })) as { entries: unknown[] }
    expect(entries).toMatchObject([
      { type: 'adjustment', reference: because, amount: 2_500n, balanceAfter: opened + 2_500n },
    ])
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ adjustments: -2_500n })
    expect(await actsAbout(because)).toMatchObject([
      { actor: 'ada@office', act: 'exception.closed' },
      { actor: 'ada@office', act: 'ledger.adjusted', details: { amount: '2500', because, note: 'ticket 881' } },
    ])
    expect(await verifyLedger(ctx, { invariants })).toEqual([])
  })

  it('takes money, because of a break as well, down to nothing and not below', async () => {
    const [tenant] = (await open()).tenants
    const because = await newBreak(database, ctx)
    expect(await adjust(tenant, because, -opened - 1n)).toEqual({ kind: 'too-little', available: opened })
    expect(await itemOf(database, ctx, because)).toEqual({ closed_at: null, note: null })
    expect(await adjust(tenant, because, -opened)).toEqual({ kind: 'adjusted', available: 0n })
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 0n, adjustments: opened })
    expect((await actsAbout(because)).map(({ act }) => act)).toEqual(['rail.break-closed', 'ledger.adjusted'])
    expect(await verifyLedger(ctx, { invariants })).toEqual([])
  })

  it('finds no room for more than JSON shows exactly', async () => {
    const [tenant] = (await open()).tenants
    const because = await newException(database, ctx, tenant)
    expect(await adjust(tenant, because, amountMax)).toEqual({ kind: 'too-much' })
    expect(await adjust(tenant, because, amountMax - opened)).toEqual({ kind: 'adjusted', available: amountMax })
  })

  it('needs an open item of the same environment, and of the same business where it is of one', async () => {
    const [tenant, other] = (await open()).tenants
    const never = 'exc_01kf0fv2e0e03scdnf8qyb6afr'
    for (const because of [never, never.replace('exc', 'brk'), never.replace('exc', 'trf'), 'x', ''])
      expect(await adjust(tenant, because, 1n)).toEqual({ kind: 'no-item' })
    const theirs = await newException(database, ctx, other)
    expect(await adjust(tenant, theirs, 1n)).toEqual({ kind: 'other-business' })
    const elsewhere = await newException(database, ctx, null, 'staging')
    expect(await adjust(tenant, elsewhere, 1n)).toEqual({ kind: 'other-environment' })
    const closed = await newException(database, ctx, tenant)
    await closeException(ctx, parseId('exception', closed) as Uuid, 'done before')
    expect(await adjust(tenant, closed, 1n)).toEqual({ kind: 'was-closed', note: 'done before' })
    expect(await available(tenant)).toBe(opened)
    expect(await adjust(tenant, await newException(database, ctx, null), 1n)).toMatchObject({ kind: 'adjusted' })
  })
})

describe('two people with one review item', () => {
  it.each(['in one batch of a process', 'in two processes'])('%s: exactly one adjusts', async (where) => {
    const { tenants } = await open()
    const other = createLanes(ctx)
    const second = where === 'in two processes' ? correctionsOn(other.of) : corrections
    for (let round = 0; round < 5; round++) {
      const because = await newException(database, ctx, null)
      const wish = { currency: 'NGN' as const, because, by }
      const outcomes = await Promise.all([
        corrections.adjust(tenants[0], { ...wish, amount: toMoney(100), note: 'first' }),
        second.adjust(tenants[round % 2 === 0 ? 0 : 1], { ...wish, amount: toMoney(700), note: 'second' }),
      ])
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['adjusted', 'was-closed'])
      const winner = outcomes[0]?.kind === 'adjusted' ? 'first' : 'second'
      expect((await itemOf(database, ctx, because)).note).toBe(winner)
      const sql = `select amount::int, reference from ledger_movement where reference = $1`
      expect(await asOwner(database, sql, [because])).toEqual([
        { amount: winner === 'first' ? 100 : 700, reference: because },
      ])
    }
    await other.drain()
    expect(await verifyLedger(ctx, { invariants })).toEqual([])
  })
})

describe('ledger verify', () => {
  it('names an adjustment whose item is open, or is none', async () => {
    const [tenant] = (await open()).tenants
    const because = await newException(database, ctx, tenant)
    await adjust(tenant, because, 5n)
    const only = { invariants: correctionInvariants }
    expect(await verifyLedger(ctx, only)).toEqual([])
    await asOwner(database, 'update review_item set closed_at = null, note = null where id = $1', [
      parseId('exception', because),
    ])
    expect(await verifyLedger(ctx, only)).toMatchObject([
      { tenantId: tenant.id, ids: [expect.any(String)], message: `${because} is no closed review item` },
    ])
    await asOwner(database, 'delete from review_item where id = $1', [parseId('exception', because)])
    expect(await verifyLedger(ctx, { ...only, rowsPerPage: 1 })).toHaveLength(1)
    await asOwner(database, 'delete from ledger_movement where reference = $1', [because])
  })

  it('has no second adjustment of a tenant for one item, whatever the code believes', async () => {
    const [tenant] = (await open()).tenants
    await adjust(tenant, await newException(database, ctx, tenant), 5n)
    const again = `insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
      select lane, tenant_id, gen_random_uuid(), currency, debit, credit, amount, kind, source_id, reference, entry + 1, balance_after, created_at
        from ledger_movement where kind = 'adjustment' and tenant_id = $1`
    await expect(asOwner(database, again, [tenant.id])).rejects.toThrow('ledger_movement_adjustment')
  })
})
