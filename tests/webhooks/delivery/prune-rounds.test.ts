// Pruning goes through all tenants of a lane in rounds: some tenants in each turn, in order, and a rest after the last
// one.

import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { pruneDeliveries } from '#webhooks/delivery/prune.ts'
import { asOwner } from '#tests/support/owner.ts'
import { nobody, useBench } from './support.ts'

const bench = await useBench()
const { clock, ctx, database, happen, newTenant, subscribe } = bench
const dayMs = 86_400_000
const minuteMs = 60_000

const countOf = async (tenant: Tenant): Promise<number> =>
  (await asOwner(database, 'select from webhook_delivery where tenant_id = $1', [tenant.id])).length

async function record(tenant: Tenant, count: number): Promise<void> {
  const references = Array.from({ length: count }, (_, index) => `R-${index}`)
  await happen(references, { tenant, by: nobody })
}

async function subscriber(): Promise<Tenant> {
  const tenant = await newTenant()
  await subscribe('https://example.com/hook', { tenant })
  return tenant
}

async function addQuietTenants(count: number): Promise<void> {
  const at = new Date(clock.now())
  const ids = Array.from({ length: count }, () => newUuid(clock.now()))
  await asOwner(
    database,
    `insert into business (id, name, created_at) select id, 'Quiet', $2 from unnest($1::uuid[]) as k (id)`,
    [ids, at],
  )
  await asOwner(
    database,
    `insert into tenant (lane, id, business_id, environment, created_at)
     select $3, id, id, 'staging', $2 from unnest($1::uuid[]) as k (id)`,
    [ids, at, bench.tenant.lane],
  )
}

it('rests ten minutes after a round, and deletes nothing meanwhile', async () => {
  const sending = bench.start({ logDays: 7 })
  const tenant = await subscriber()
  await record(tenant, 3)
  expect(await sending.prune(tenant.lane)).toBe(0)
  // Makes ten days pass in ten minutes.
  await asOwner(database, 'update webhook_delivery set created_at = $2 where tenant_id = $1', [
    tenant.id,
    new Date(clock.now() - 10 * dayMs),
  ])
  clock.advance(10 * minuteMs - 1)
  expect(await sending.prune(tenant.lane)).toBe(0)
  clock.advance(1)
  expect(await sending.prune(tenant.lane)).toBe(3)
  expect(await countOf(tenant)).toBe(0)
})

it('deletes old deliveries of one tenant by the tenant’s own log, and as many at once as it may', async () => {
  const [tenant, other] = [await subscriber(), await subscriber()]
  await record(tenant, 3)
  clock.advance(8 * dayMs)
  await record(other, 2)
  const before = new Date(clock.now() - 7 * dayMs)
  const prune = (owner: Tenant, limit: number) =>
    ctx.db.transaction((tx) => pruneDeliveries(tx, owner.id, { before, limit }), owner.lane)
  expect(await prune(tenant, 2)).toBe(2)
  expect([await countOf(tenant), await countOf(other)]).toEqual([1, 2])
  // The remaining deliveries have higher numbers than others that are not old.
  expect(await bench.start({ logDays: 7 }).prune(tenant.lane)).toBe(1)
  expect([await countOf(tenant), await countOf(other)]).toEqual([0, 2])
})

it('visits five hundred tenants in a turn, and the next ones in the next turn', async () => {
  const sending = bench.start({ logDays: 7 })
  await asOwner(database, 'delete from webhook_delivery', [])
  const tenants = (await asOwner(database, 'select from tenant', [])).length
  await addQuietTenants(500 - tenants)
  const last = [await subscriber(), await subscriber()]
  for (const tenant of last) await record(tenant, 3)
  clock.advance(8 * dayMs)
  const { lane } = bench.tenant
  expect([await sending.prune(lane), await sending.prune(lane), await sending.prune(lane)]).toEqual([0, 6, 0])
  for (const tenant of last) expect(await countOf(tenant)).toBe(0)
})
