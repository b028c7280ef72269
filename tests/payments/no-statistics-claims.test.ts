// Claiming, giving back and listing payments on tables that grew from empty, without statistics and with old ones: an
// operation costs the rows that it touches, not the rows that the table holds.

import { beforeAll, describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { inLane } from '#platform/db/db.ts'
import type { Tenant } from '#platform/context.ts'
import { createBusiness } from '#businesses/business.ts'
import { listEntries } from '#ledger/statement.ts'
import { toMoney } from '#platform/money.ts'
import { acceptOperation } from '#payments/accept.ts'
import { listPayments, type ListQuestion } from '#payments/list.ts'
import { changeRails, readRailsLeft } from '#payments/execution/failover.ts'
import { wakeHeld } from '#payments/brakes.ts'
import { claimPayments, postponePayments, type Claim } from '#payments/queries.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTablesOfEachSort } from '#tests/support/no-statistics.ts'
import { commandFor, requestOf } from './process.ts'

const batchSize = 500
/**
 * PostgreSQL 15 takes a table of fewer than nine thousand rows for a small one and reads all of it; a test with more
 * proves that the plans read no more.
 */
const payments = 10_000

const sorts = await useTablesOfEachSort()

describe.each(sorts)('tables that are analysed when they are: $analysed', ({ database, db, are, expectRows }) => {
  const ctx = createTestContext(db)
  let tenant: Tenant
  let middle: Date

  beforeAll(async () => {
    tenant = (await createBusiness(ctx, 'Growing')).tenants.staging
    for (let made = 0; made < payments; made += batchSize) {
      ctx.clock.advance(1_000)
      if (made === payments / 2) middle = new Date(ctx.clock.now())
      const commands = Array.from({ length: batchSize }, () => {
        return commandFor(tenant, requestOf({ amount: toMoney(1_000) }))
      })
      await db.transaction((tx) => acceptOperation(ctx).run(tx, commands), tenant.lane)
      if (made === 0) await are('young')
    }
    await are('grown')
  })

  const claimFor = (leaseMs: number): Claim => ({
    now: new Date(ctx.clock.now()),
    leaseEnd: new Date(ctx.clock.now() + leaseMs),
    leaveBeforeMs: Infinity,
    heldUntil: new Date(ctx.clock.now() + 600_000),
    limit: batchSize,
    limitPerQueue: batchSize,
    rooms: [],
  })

  describe('on them', () => {
    it('a claim reads what it claims', async () => {
      await expectRows(batchSize * 10, async () => {
        expect((await claimPayments(inLane(db, tenant.lane), claimFor(10_000))).leased).toHaveLength(batchSize)
      })
    })

    it('a claim passes over the due payments of a rail that has no room, however many there are', async () => {
      const other = (await createBusiness(ctx, 'Other')).tenants.staging
      const command = commandFor(other, requestOf({ amount: toMoney(1_000) }), {
        rail: { kind: 'served', rail: 'well' },
      })
      ctx.clock.advance(1_000)
      await db.transaction((tx) => acceptOperation(ctx).run(tx, [command]), other.lane)
      const full = { ...claimFor(30_000), rooms: [{ kind: 'bank_transfer' as const, rail: 'simulator', room: 0 }] }
      await expectRows(batchSize * 2, async () => {
        const { leased } = await claimPayments(inLane(db, tenant.lane), full)
        expect(leased.map(({ payment }) => payment.reference)).toEqual([command.draft.reference])
      })
      // PostgreSQL looks once at each index entry that the claim before left dead.
    })

    it('postponing reads what it postpones', async () => {
      const now = new Date(ctx.clock.now())
      const { leased } = await claimPayments(inLane(db, tenant.lane), claimFor(20_000))
      const rows = leased.map(({ payment: { tenantId, reference, submittedAt } }) => {
        return {
          tenantId,
          reference,
          leaseEnd: new Date(ctx.clock.now() + 20_000),
          dueAt: now,
          asks: 1,
          submittedAt,
          railAnswer: null,
          parkedAt: null,
          submissionAnswer: null,
        }
      })
      await expectRows(batchSize * 10, () => db.transaction(async (tx) => postponePayments(tx, rows), tenant.lane))
    })

    it('changing rails reads what it changes, and what a payment left is found by its key', async () => {
      const at = new Date(ctx.clock.now())
      const { leased } = await claimPayments(inLane(db, tenant.lane), claimFor(20_000))
      const rows = leased.map(({ payment: { tenantId, reference, id: paymentId } }) => {
        const why = 'stopped' as const
        return { tenantId, reference, paymentId, from: 'simulator', to: 'simulator', attempt: 1, why, at, dueAt: at }
      })
      await expectRows(batchSize * 10, () =>
        db.transaction(
          async (tx) =>
            changeRails(
              tx,
              rows.map((row) => ({ ...row, railReference: null })),
            ),
          tenant.lane,
        ),
      )
      const [first] = leased
      await expectRows(5, async () =>
        expect(await readRailsLeft(db, present(first, 'there is one').payment)).toHaveLength(1),
      )
    })

    it('lifting a pause reads what it wakes', async () => {
      await asOwner(database, `insert into brake values ('staging', null, null, '', $1, '')`, [new Date(0)])
      const lane = inLane(db, tenant.lane)
      ctx.clock.advance(3_600_000)
      expect(await claimPayments(lane, claimFor(20_000))).toMatchObject({ leased: [], held: { length: batchSize } })
      const whose = { environments: ['staging' as const], businessId: null, rail: null }
      await expectRows(batchSize * 10, async () => {
        expect(await wakeHeld(lane, whose, new Date(ctx.clock.now()), batchSize)).toBe(batchSize)
      })
      await asOwner(database, 'truncate brake')
    })

    it.each([
      ['the first page', { page: 1 }],
      ['the last page', { page: payments / 20 }],
      ['a range of time', { page: 1, from: new Date(0), before: new Date('2030-01-01') }],
    ])('%s of the list reads a page', async (_which, question: Pick<ListQuestion, 'page' | 'from' | 'before'>) => {
      await expectRows(500, async () => {
        const { total } = await listPayments(ctx, tenant, 'bank_transfer', { ...question, limit: 20 })
        expect(total).toBe(payments)
      })
    })

    it('a range of time within the list reads a page', async () => {
      await expectRows(500, async () => {
        const { total } = await listPayments(ctx, tenant, 'bank_transfer', { page: 1, limit: 20, from: middle })
        expect(total).toBe(payments / 2)
      })
    })

    it('a range of time within the statement of the balance reads a page', async () => {
      await expectRows(500, async () => {
        const page = await listEntries(ctx, tenant, 'NGN', { page: 3, limit: 20, from: middle })
        expect(page).toMatchObject({ kind: 'page', total: payments / 2 })
      })
    })

    it.each([
      ['SUCCESS', 0],
      ['FAILED', 0],
      ['queued', payments],
    ] as const)('a list of what is %s reads no more than what is not finished', async (status, count) => {
      await expectRows(payments * 3, async () => {
        const { total } = await listPayments(ctx, tenant, 'bank_transfer', { page: 1, limit: 20, status })
        expect(total).toBe(count)
      })
    })
  })
})
