// The service stores the log for a limited time; the remaining numbers stay dense.

import pg from 'pg'
import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { nobody, useBench, type DeliveryRow } from './support.ts'

const bench = await useBench()
const { clock, database, happen, newTenant, subscribe } = bench
const dayMs = 86_400_000
const url = 'https://example.com/hook'

const logOf = (tenant: Tenant): Promise<DeliveryRow[]> =>
  asOwner(database, 'select * from webhook_delivery where tenant_id = $1 order by ordinal', [tenant.id])

async function countAttempts(tenant: Tenant): Promise<number> {
  const sql = 'select count(*)::int as count from webhook_attempt where tenant_id = $1'
  return (await asOwner<{ count: number }>(database, sql, [tenant.id]))[0]?.count ?? 0
}

async function record(tenant: Tenant, count: number): Promise<void> {
  await happen(
    Array.from({ length: count }, (_, index) => `R-${index}`),
    { tenant, by: nobody },
  )
  const sql = `insert into webhook_attempt (lane, tenant_id, delivery_id, attempt, trigger, duration_ms, created_at)
    select lane, tenant_id, id, n, 'automatic', 1, created_at
      from webhook_delivery cross join generate_series(1, 2) as n where tenant_id = $1
    on conflict do nothing`
  await asOwner(database, sql, [tenant.id])
}

it('deletes older deliveries with their attempts, from the bottom, and leaves the numbers dense', async () => {
  const sending = bench.start({ logDays: 7 })
  const [tenant, other] = [await newTenant(), await newTenant()]
  for (const owner of [tenant, other]) await subscribe(url, { tenant: owner })
  await record(tenant, 2_500)
  clock.advance(dayMs)
  await record(tenant, 10)
  await record(other, 5)
  clock.advance(6 * dayMs)
  expect(await sending.prune(tenant.lane)).toBe(0)
  clock.advance(600_000) // Pruning rests between two rounds.
  expect(await sending.prune(tenant.lane)).toBe(2_500)
  const left = await logOf(tenant)
  expect(left.map(({ ordinal }) => Number(ordinal))).toEqual(Array.from({ length: 10 }, (_, index) => 2_501 + index))
  expect(left.map((row) => Number(row.subscription_ordinal))).toEqual(
    Array.from({ length: 10 }, (_, index) => 2_501 + index),
  )
  expect([await countAttempts(tenant), await countAttempts(other)]).toEqual([20, 10])
  await happen(['NEXT'], { tenant, by: nobody })
  expect((await logOf(tenant)).at(-1)).toMatchObject({ ordinal: '2511', subscription_ordinal: '2511' })
})

it('two processes at once leave no hole, and a tenant may lose all of its log and start over', async () => {
  const processes = [bench.start({ logDays: 7 }), bench.start({ logDays: 7 })]
  const tenant = await newTenant()
  await subscribe(url, { tenant })
  await record(tenant, 3_000)
  clock.advance(8 * dayMs)
  const counts = await Promise.all(processes.map((one) => one.prune(tenant.lane)))
  expect(await logOf(tenant)).toEqual([])
  expect(counts[0]).not.toBeNaN()
  await happen(['AGAIN'], { tenant, by: nobody })
  expect(await logOf(tenant)).toMatchObject([{ ordinal: '1', subscription_ordinal: '1' }])
})

it('also deletes a delivery whose attempt is recorded while it waits for its row', async () => {
  const sending = bench.start({ logDays: 7 })
  const tenant = await newTenant()
  await subscribe(url, { tenant })
  await record(tenant, 3)
  clock.advance(8 * dayMs)
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  await client.query('begin')
  const { rows } = await client.query<{ id: string }>(
    'update webhook_delivery set updated_at = $2 where tenant_id = $1 and ordinal = 2 returning id',
    [tenant.id, new Date(clock.now())],
  )
  await client.query(
    `insert into webhook_attempt (lane, tenant_id, delivery_id, attempt, trigger, duration_ms, created_at)
     values ($1, $2, $3, 3, 'manual', 1, $4)`,
    [tenant.lane, tenant.id, rows[0]?.id, new Date(clock.now())],
  )
  const pruned = sending.prune(tenant.lane)
  await untilWaiting(database, 1)
  await client.query('commit')
  await client.end()
  await pruned
  expect([await logOf(tenant), await countAttempts(tenant)]).toEqual([[], 0])
})
