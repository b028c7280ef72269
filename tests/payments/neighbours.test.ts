// A list costs what its own business has. It reads no unfinished payments of other businesses, however many there are.

import { describe, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { theService, type Context, type Tenant } from '#platform/context.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { createBusiness } from '#businesses/business.ts'
import { transferStatuses } from '#payments/payment.ts'
import { listPayments } from '#payments/list.ts'
import { quietLog } from '#tests/support/database.ts'
import { useGrowingTables } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'

const theirs = 100_000
/** Payments of each status; a list of a status reads a page of them. */
const mine = 30
/** Some rows of each status and their index entries, for the count and the page. */
const rowsMax = 1_000

const { database, db, expectRows } = await useGrowingTables('never')
const ctx: Context = { db, clock: systemClock, log: quietLog(), metrics: createMetrics(), by: theService }
const crowd = (await createBusiness(ctx, 'Crowd')).tenants.staging
const empty = (await createBusiness(ctx, 'Empty')).tenants.staging
const small = (await createBusiness(ctx, 'Small')).tenants.staging
await insert(crowd, ['queued'], theirs)
await insert(small, [...transferStatuses], transferStatuses.length * mine)

function insert({ lane, id }: Tenant, statuses: string[], count: number): Promise<unknown> {
  return asOwner(
    database,
    `insert into payment (lane, tenant_id, reference, id, kind, ordinal, status, currency, amount, fee, bank_slug, bank_name,
       account_number, account_name, failure_reason, created_at, updated_at, completed_at, due_at)
     select $1, $2, 'R-' || n, gen_random_uuid(), 'bank_transfer', n, s.status, 'NGN', 1000, 1000, 'access-bank', 'Access Bank',
            '0123456789', 'ADA OBI', case s.status when 'FAILED' then 'DO_NOT_HONOR' end, t.at, t.at,
            case when s.status <> 'queued' then t.at end, case s.status when 'queued' then t.at end
       from generate_series(1, $4::bigint) as n
      cross join lateral (select ($3::text[])[1 + n % cardinality($3::text[])] as status) as s
      cross join lateral (select timestamptz '2026-01-01' + n * interval '1 second' as at) as t`,
    [lane, id, statuses, count],
  )
}

function whenAsked(): void {
  it.each(transferStatuses)('a list of %s reads nothing of a neighbour', async (status) => {
    const total = async (tenant: Tenant): Promise<number> =>
      (await listPayments(ctx, tenant, 'bank_transfer', { page: 1, limit: 20, status })).total
    const found = { empty: 0, small: 0 }
    await expectRows(rowsMax, async () => void (found.empty = await total(empty)))
    await expectRows(rowsMax, async () => void (found.small = await total(small)))
    expect(found).toEqual({ empty: 0, small: mine })
  })
}

describe('on a table without statistics', whenAsked)

describe('on a table with statistics', () => {
  it('that were taken when all of it was there', async () => {
    await asOwner(database, 'vacuum (analyze) payment')
    const [known] = await asOwner(database, `select reltuples as rows from pg_class where relname = 'payment'`)
    expect(Number(known?.['rows'])).toBe(theirs + transferStatuses.length * mine)
  })
  whenAsked()
})
