// A table that grows from empty has no statistics until the first ANALYZE. The planner's guesses are worst then, so this
// is where a batch must still cost the batch.

import { expect, it } from 'vitest'
import { systemClock } from '#base/clock.ts'
import { theService, type Context, type Tenant } from '#base/context.ts'
import { createMetrics } from '#base/metrics.ts'
import { toKobo } from '#base/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { acceptOperation } from '#payments/accept.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/deposit.ts'
import { createEventPipe } from '#events/pipe.ts'
import { settleOperation } from '#payments/settle.ts'
import { quietLog, useTestDatabase } from '#tests/support/database.ts'
import { useTablesWithoutStatistics } from '#tests/support/no-statistics.ts'
import { commandFor } from './process.ts'

const batchSize = 500
const batches = 20

const { db, rowsReadBy } = await useTablesWithoutStatistics(await useTestDatabase())

it('a batch reads what it touches, on tables that grew within one connection without ANALYZE', async () => {
  const ctx: Context = { db, clock: systemClock, log: quietLog(), metrics: createMetrics(), by: theService }
  const { tenants } = await createBusiness(ctx, 'Growing')
  for (let batch = 0; batch < batches; batch++) await acceptAndSettle(ctx, tenants.staging, `B${batch}`)
  const read = await rowsReadBy(() => acceptAndSettle(ctx, tenants.staging, 'LAST'))
  // Found once to accept (nothing there), locked, found again and updated to settle: a few rows for each payment, where a
  // plan that walks the tenant would read the whole table for each of them.
  expect(read).toBeLessThan(batchSize * 12)
})

async function acceptAndSettle(ctx: Context, tenant: Tenant, name: string): Promise<void> {
  const references = Array.from({ length: batchSize }, (_, index) => `${name}-${index}`)
  const common = {
    bankSlug: 'access-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    narration: null,
    metadata: null,
  }
  const accepts = references.map((reference) =>
    commandFor(tenant, { ...common, reference, amount: toKobo(1_000), currency: 'NGN' as const }, { keepMs: 10_000 }),
  )
  const settles = references.map((reference) => ({
    tenantId: tenant.id,
    reference,
    result: { kind: 'succeeded' as const, sessionId: null },
  }))
  const accepted = await ctx.db.transaction((tx) => acceptOperation(ctx).run(tx, accepts), tenant.lane)
  expect(accepted.every(({ kind }) => kind === 'accepted')).toBe(true)
  const settled = await ctx.db.transaction(
    (tx) => settleOperation(ctx, createEventPipe(ctx.clock), createInflows(ctx, depositFees)).run(tx, settles),
    tenant.lane,
  )
  expect(settled.every(({ kind }) => kind === 'settled')).toBe(true)
}
