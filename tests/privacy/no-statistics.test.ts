// Retention and erasure on tables that grew from empty without ANALYZE: both cost what they erase, not what the tables
// hold. The test counts rows that PostgreSQL reads, not milliseconds.

import { beforeAll, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createBusiness } from '#businesses/business.ts'
import { eraseCustomer } from '#privacy/erase.ts'
import { createRetain } from '#privacy/retain.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useGrowingTables } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'

const rows = 20_000
/** Each customer has a few rows. */
const customers = 2_000
/** The most rows that one turn erases. */
const turnRows = 5_000
const dayMs = 86_400_000
/** The most rows, of tables and indexes together, that erasing one row may read: found, locked, rewritten. */
const rowsEach = 8

const { database, db, expectRows } = await useGrowingTables('never')
const clock = createFakeClock()
const ctx = createTestContext(db, clock)
let tenant: Tenant

beforeAll(async () => {
  tenant = (await createBusiness(ctx, 'Large')).tenants.production
  const values = [tenant.lane, tenant.id, new Date(clock.now()), rows, customers]
  const id = (of: string): string => `md5('${of}' || n)::uuid`
  const time = `$3::timestamptz + n * interval '1 millisecond'`
  const statements = [
    `insert into customer (lane, tenant_id, reference, id, ordinal, first_name, last_name, status, created_at, updated_at)
      select $1::smallint, $2::uuid, 'C' || n, ${id('c')}, n, 'Ada', 'Obi', 'ACTIVE', $3::timestamptz, $3::timestamptz
        from generate_series(1, $5::int) n where $4::int > 0`,
    `insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number,
        account_name, bank_name, customer_reference, sender_account_name, sender_account_number, sender_bank_name, narration,
        paid_at, created_at, updated_at)
      select $1::smallint, $2::uuid, ${id('d')}, n, 'SUCCESSFUL', 'NGN', 1, 0, 'bank', 'p' || n, '3000000000', 'Ada', 'Bank',
             'C' || (1 + n % $5::int), 'Chidi', '0123456789', 'Bank', 'rent', ${time}, ${time}, ${time}
        from generate_series(1, $4::int) n`,
    `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
      select $1::smallint, $2::uuid, ${id('d')}, 'deposit.success', ${id('e')}, 'R' || n, '{"senderAccountName":"Chidi"}', ${time}
        from generate_series(1, $4::int) n where $5::int > 0`,
    `insert into payment (lane, tenant_id, reference, id, kind, ordinal, status, currency, amount, fee, bank_slug, bank_name,
        account_number, account_name, created_at, updated_at, completed_at)
      select $1::smallint, $2::uuid, 'P' || n, ${id('p')}, 'bank_transfer', n, 'SUCCESS', 'NGN', 1, 0, 'b', 'Bank', '0123456789',
             'Ada', ${time}, ${time}, ${time}
        from generate_series(1, $4::int) n where $5::int > 0`,
  ]
  for (const sql of statements) await asOwner(database, sql, values)
})

async function leftIn(table: string, condition: string): Promise<number> {
  const sql = `select count(*)::int as count from ${table} where ${condition}`
  return (await asOwner<{ count: number }>(database, sql))[0]?.count ?? -1
}

it('erasing a customer costs its own deposits', async () => {
  const own = rows / customers
  await expectRows(100 + own * 3 * rowsEach, () => eraseCustomer(ctx, tenant, { reference: 'C7', note: 'test' }))
  expect(await leftIn('deposit', `customer_reference = 'C7' and sender_account_name <> 'erased'`)).toBe(0)
  expect(await leftIn('deposit', `sender_account_name = 'erased'`)).toBe(own)
})

it('a turn of retention costs what it erases, also in the middle of a long list', async () => {
  clock.advance(400 * dayMs)
  const retain = createRetain(ctx, { eventDays: 90, payerDays: 365 })
  let all = 0
  for (let done = -1; done !== 0; all += done) {
    await expectRows(turnRows * rowsEach, async () => (done = await retain(tenant.lane)))
  }
  expect(all).toBe(3 * rows)
  expect(await leftIn('deposit', `sender_account_name <> 'erased'`)).toBe(0)
  expect(await leftIn('payment', `account_name <> 'erased'`)).toBe(0)
  expect(await leftIn('event', `data like '%Chidi%'`)).toBe(0)
})

it('a turn that finds nothing costs little, however much was erased before', async () => {
  clock.advance(11 * 60_000)
  const retain = createRetain(ctx, { eventDays: 90, payerDays: 365 })
  let done = -1
  await expectRows(100, async () => (done = await retain(tenant.lane)))
  expect(done).toBe(0)
})
