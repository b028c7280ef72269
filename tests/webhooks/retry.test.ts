// Retrying many deliveries: in steps that the database can bear, never more than the limit, each once.

import pg from 'pg'
import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { createRetries, retriesMax, findChunkEnd, openRowsLooked } from '#webhooks/retry.ts'
import { skipOnCitus } from '#tests/support/citus.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
let woken = 0
const { retryFailed } = createRetries({ ctx, wake: () => (woken += 1) })

const startMs = ctx.clock.now() - 86_400_000
const all = { from: new Date(startMs), before: new Date(ctx.clock.now()) }

/** Every fourth delivery is pending and all others have failed. No process sends any of them. */
async function newLog(count: number): Promise<Tenant> {
  const tenant = (await createBusiness(ctx, 'Log')).tenants.staging
  const subscriptionId = newUuid(startMs)
  const key = [tenant.lane, tenant.id, subscriptionId]
  await asOwner(
    database,
    `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
     values ($1, $2, $3, 'https://example.com', '{transfer.success}', 'active', '', '', $4, $4)`,
    [...key, new Date(startMs)],
  )
  await asOwner(
    database,
    `insert into webhook_delivery (lane, tenant_id, id, subscription_id, source_id, event, reference, ordinal,
       subscription_ordinal, status, created_at, updated_at)
     select $1, $2, gen_random_uuid(), $3, gen_random_uuid(), 'transfer.success', 'R', number, number,
            case when number % 4 = 0 then 'pending' else 'failed' end, $4::timestamptz + number * interval '1 s',
            $4::timestamptz + number * interval '1 s'
       from generate_series(1, $5::int) as number`,
    [...key, new Date(startMs), count],
  )
  return tenant
}

async function queuedOf(tenant: Tenant): Promise<{ rows: number; due: number }> {
  const [row] = await asOwner<{ rows: string; due: string }>(
    database,
    `select count(*) as rows, count(*) filter (where status = 'pending' and due_at = $2) as due
       from webhook_delivery where tenant_id = $1 and retry_requested`,
    [tenant.id, new Date(ctx.clock.now())],
  )
  return { rows: Number(row?.rows), due: Number(row?.due) }
}

async function openUpTo(tenant: Tenant, ordinal: bigint | undefined): Promise<number> {
  const [row] = await asOwner<{ rows: string }>(
    database,
    `select count(*) as rows from webhook_delivery where tenant_id = $1 and status = 'failed' and ordinal <= $2`,
    [tenant.id, ordinal],
  )
  return Number(row?.rows)
}

it('queues at most the limit, and the next call queues the rest', async () => {
  const more = 50
  const tenant = await newLog(retriesMax + more)
  expect(await retryFailed(tenant, all)).toBe(retriesMax)
  expect(await queuedOf(tenant)).toEqual({ rows: retriesMax, due: retriesMax })
  expect(await retryFailed(tenant, all)).toBe(more)
  expect(await queuedOf(tenant)).toEqual({ rows: retriesMax + more, due: retriesMax + more })
})

it('queues each delivery once for several callers at the same time', async () => {
  const tenant = await newLog(3_000)
  const counts = await Promise.all(Array.from({ length: 4 }, () => retryFailed(tenant, all)))
  const rest = await retryFailed(tenant, all)
  expect(counts.reduce((sum, count) => sum + count, rest)).toBe(3_000)
  expect(await queuedOf(tenant)).toEqual({ rows: 3_000, due: 3_000 })
})

it('also queues a delivery that changes after the statement began', async (context) => {
  skipOnCitus(context, 'a table that is spread takes no trigger')
  const tenant = await newLog(8)
  await asOwner(
    database,
    `create function wait_for_test() returns trigger language plpgsql as
       'begin perform pg_advisory_xact_lock(1); return new; end';
     create trigger wait_at_first before update on webhook_delivery
       for each row when (new.ordinal = 1) execute function wait_for_test()`,
  )
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  await client.query('select pg_advisory_lock(1)')
  const queued = retryFailed(tenant, all)
  await untilWaiting(database, 1)
  // Leaves the row alone if the statement has locked it already.
  await client.query(
    `with free as (select id from webhook_delivery where tenant_id = $1 and ordinal = 2 for update skip locked)
     update webhook_delivery set updated_at = updated_at + interval '1 s' where id = any(array(select id from free))`,
    [tenant.id],
  )
  await client.end()
  expect(await queued).toBe(8)
  await asOwner(database, 'drop function wait_for_test cascade')
})

it('finds the few deliveries of one subscription among many of another, in statements that read a limited number', async () => {
  const tenant = await newLog(3 * openRowsLooked)
  const quiet = newUuid(startMs)
  const wanted = [1, openRowsLooked, openRowsLooked + 1, 3 * openRowsLooked]
  await asOwner(
    database,
    `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
     select lane, tenant_id, $2, url, events, status, secret, secret_hint, created_at, updated_at
       from webhook_subscription where tenant_id = $1`,
    [tenant.id, quiet],
  )
  await asOwner(
    database,
    `update webhook_delivery set subscription_id = $2, status = 'failed' where tenant_id = $1 and ordinal = any ($3)`,
    [tenant.id, quiet, wanted],
  )
  const failed = { status: 'failed' as const, high: BigInt(3 * openRowsLooked) }
  const firstEnd = await findChunkEnd(ctx.db, tenant, { ...failed, low: 0n })
  expect(await openUpTo(tenant, firstEnd)).toBe(openRowsLooked)
  expect(await retryFailed(tenant, { ...all, subscriptionId: quiet })).toBe(wanted.length)
  expect(await queuedOf(tenant)).toEqual({ rows: wanted.length, due: wanted.length })
})

it('wakes the sending process, and only when there is something to send', async () => {
  const tenant = await newLog(3)
  const before = woken
  expect(await retryFailed(tenant, { ...all, from: all.before })).toBe(0)
  expect(woken).toBe(before)
  expect(await retryFailed(tenant, all)).toBe(3)
  expect(woken).toBe(before + 1)
})
