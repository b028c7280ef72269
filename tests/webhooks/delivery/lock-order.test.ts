// The order in which operations lock rows: an operation that waits for the first row holds none of the later ones, so
// that no two operations wait for each other in a circle.

import pg from 'pg'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { lockDeliveries, writeHealth } from '#webhooks/delivery/record.ts'
import { pruneDeliveries } from '#webhooks/delivery/prune.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { nobody, useBench } from './support.ts'

const { ctx, database, clock, subscribe, newTenant, happen, row } = await useBench()
const clients = [0, 1].map(() => new pg.Client({ connectionString: database.ownerUrl }))
const [holder, looker] = clients as [pg.Client, pg.Client]
await Promise.all(clients.map((client) => client.connect()))
afterAll(() => Promise.all(clients.map((client) => client.end())))

let tenant: Tenant
beforeEach(async () => {
  tenant = await newTenant()
})

/** Expects that `work` waits for the first of these rows and holds none of the others by then. */
async function expectInOrder(table: string, ids: Uuid[], work: () => Promise<unknown>): Promise<void> {
  const [first, ...others] = ids
  await holder.query('begin')
  await holder.query(`select from ${table} where lane = $1 and id = $2 for update`, [tenant.lane, first])
  const done = work()
  await untilWaiting(database, 1)
  const unlocked = `select id from ${table} where lane = $1 and id = any($2) for update skip locked`
  const free = await looker.query(unlocked, [tenant.lane, others])
  await holder.query('commit')
  await done
  expect(free.rows.map(({ id }: { id: Uuid }) => id).toSorted()).toEqual(others)
}

/** Puts the first id neither at the beginning nor at the end. */
const shuffled = ([first, second, ...others]: Uuid[]): Uuid[] =>
  [second, first, ...others].filter((id) => id !== undefined)

/** Three deliveries in the order of their ids, stored so that the first one is physically after the others. */
async function deliveries(): Promise<Uuid[]> {
  await subscribe('https://example.com/hook', { tenant })
  const references = ['A', 'B', 'C'].map((name) => `${name} ${tenant.id}`)
  await happen(references, { tenant, by: nobody })
  const ids = (await Promise.all(references.map(row))).map(({ id }) => id).toSorted()
  await asOwner(database, 'update webhook_delivery set updated_at = created_at where id = $1', [ids[0]])
  return ids
}

it('deliveries are recorded in the order of their ids', async () => {
  const ids = await deliveries()
  const keys = shuffled(ids).map((id) => ({ tenantId: tenant.id, id }))
  await expectInOrder('webhook_delivery', ids, () => ctx.db.transaction((tx) => lockDeliveries(tx, keys), tenant.lane))
})

it('deliveries are forgotten in the order of their ids', async () => {
  const ids = await deliveries()
  const before = new Date(clock.now() + 1)
  await expectInOrder('webhook_delivery', ids, () =>
    ctx.db.transaction((tx) => pruneDeliveries(tx, tenant.id, { before, limit: 9 }), tenant.lane),
  )
})

it('subscriptions are written in the order of their keys', async () => {
  const url = 'https://example.com/hook'
  const ids = [
    await subscribe(url, { tenant }),
    await subscribe(url, { tenant }),
    await subscribe(url, { tenant }),
  ].toSorted()
  await asOwner(database, 'update webhook_subscription set updated_at = created_at where id = $1', [ids[0]])
  const at = new Date(clock.now())
  const healthy = { status: 'active' as const, failingSince: null, disabledBecause: null }
  const changes = shuffled(ids).map((subscriptionId) => ({
    tenantId: tenant.id,
    subscriptionId,
    before: healthy,
    after: { ...healthy, failingSince: at },
    at,
  }))
  await expectInOrder('webhook_subscription', ids, () =>
    ctx.db.transaction(async (tx) => writeHealth(tx, changes), tenant.lane),
  )
})
