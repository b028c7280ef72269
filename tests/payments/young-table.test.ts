// A table that grows from empty has no statistics until the first ANALYZE. The planner's guesses are worst then, so this
// is where a batch must still cost the batch.

import { expect, it } from 'vitest'
import { systemClock } from '#base/clock.ts'
import { createDb } from '#base/db.ts'
import type { Context, Tenant } from '#base/context.ts'
import { createMetrics } from '#base/metrics.ts'
import { toKobo } from '#base/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { serviceRole } from '#migrations/migrate.ts'
import { acceptOperation } from '#payments/accept.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/deposit.ts'
import { createEventPipe } from '#events/pipe.ts'
import { settleOperation } from '#payments/settle.ts'
import { quietLog, useTestDatabase } from '#tests/support/database.ts'
import { commandFor } from './process.ts'
import { rowsRead, withoutAutovacuum } from './young.ts'

const batchSize = 500
const batches = 20

const database = await useTestDatabase()

it('a batch reads what it touches, on tables that grew within one connection without ANALYZE', async () => {
  await withoutAutovacuum(database)
  // One connection, so that its statistics can be asked to be reported at once.
  const db = createDb({
    url: database.serviceUrl,
    role: serviceRole,
    log: quietLog(),
    metrics: createMetrics(),
    poolSizeMax: 1,
  })
  const ctx: Context = { db, clock: systemClock, log: quietLog(), metrics: createMetrics() }
  const { tenants } = await createBusiness(ctx, 'Young')
  for (let batch = 0; batch < batches; batch++) await acceptAndSettle(ctx, tenants.staging, `B${batch}`)
  const before = await rowsRead(db)
  await acceptAndSettle(ctx, tenants.staging, 'LAST')
  const read = (await rowsRead(db)) - before
  await db.close()
  // Found once to accept (nothing there), locked, found again and updated to settle: a few rows for each payment, where a
  // plan that walks the tenant would read the whole table for each of them.
  expect(read).toBeLessThan(batchSize * 12)
}, 60_000)

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
