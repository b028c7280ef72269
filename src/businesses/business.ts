// Creates a business with its two tenants. The staging tenant starts with money, so that a first transfer works
// without setup.

import { recordEntry } from '#audit/record.ts'
import { openingPostings } from '#ledger/chart.ts'
import { openBook, openTenantAccounts } from '#ledger/post.ts'
import type { Actor, Context, Environment, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import { stagingOpeningBalance } from './currencies.ts'
import { createKeyIn, newKeyText } from './keys.ts'
import { requireLane, readLaneCount } from './lanes.ts'
import { findTenantRow, insertBusiness, insertTenant, listBusinessRows, lockInstallation } from './queries.ts'

export type Business = { id: Uuid; name: string; createdAt: Date }

export type NewBusiness = Business & { tenants: Record<Environment, Tenant> }

/** `alongside` writes more in the same transaction, so that everything or nothing is stored. */
export async function createBusiness(
  ctx: Context,
  name: string,
  alongside: (tx: Tx, business: NewBusiness) => Promise<void> = () => Promise.resolve(),
): Promise<NewBusiness> {
  const business = draftBusiness(await readLaneCount(ctx.db), name, ctx.clock.now())
  await ctx.db.transaction(async (tx) => {
    await writeBusiness(tx, business, ctx.by)
    await alongside(tx, business)
  }, laneOf(business))
  return business
}

export function draftBusiness(lanes: number, name: string, nowMs: number): NewBusiness {
  const id = newUuid(nowMs)
  // The random end of the id spreads businesses over the lanes.
  const lane = (Number.parseInt(id.slice(-6), 16) % lanes) + 1
  const tenants = {
    staging: { lane, id: newUuid(nowMs), environment: 'staging' as const },
    production: { lane, id: newUuid(nowMs), environment: 'production' as const },
  }
  return { id, name, createdAt: new Date(nowMs), tenants }
}

export async function writeBusiness(tx: Tx, { id, name, createdAt, tenants }: NewBusiness, by: Actor): Promise<void> {
  await requireLane(tx, tenants.staging.lane)
  insertBusiness(tx, id, name, createdAt)
  for (const tenant of Object.values(tenants)) {
    insertTenant(tx, tenant, id, createdAt)
    openTenantAccounts(tx, tenant, 'NGN')
  }
  const book = await openBook(tx, [tenants.staging.id])
  const cause = { id, reference: 'opening balance', atMs: createdAt.getTime() }
  book.post(tenants.staging.id, 'NGN', cause, openingPostings(stagingOpeningBalance('NGN')))
  recordEntry(tx, createdAt.getTime(), {
    by,
    act: 'business.created',
    subject: formatId('business', id),
    details: { name },
  })
}

function laneOf({ tenants }: NewBusiness): number {
  return tenants.staging.lane
}

export async function listBusinesses(ctx: Context): Promise<Business[]> {
  const rows = await listBusinessRows(ctx.db)
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }))
}

export function findTenant(ctx: Context, businessId: Uuid, environment: Environment): Promise<Tenant | undefined> {
  return findTenantRow(ctx.db, businessId, environment)
}

// The first business: created on the first run with one key per environment, so that the first request works within a
// minute.

export type FirstBusiness = { businessId: Uuid; testKey: string; liveKey: string }

/**
 * Creates the first business; undefined if one exists. `keep` stores the keys before the commit, because a business
 * whose keys were lost would be worse than none.
 */
export async function createFirstBusiness(
  ctx: Context,
  given: { testKey: string | undefined; liveKey: string | undefined },
  keep: (first: FirstBusiness) => Promise<void> = () => Promise.resolve(),
): Promise<FirstBusiness | undefined> {
  if ((await listBusinessRows(ctx.db)).length > 0) return undefined
  const business = draftBusiness(await readLaneCount(ctx.db), 'Demo Business', ctx.clock.now())
  const testKey = given.testKey ?? newKeyText('staging')
  const liveKey = given.liveKey ?? newKeyText('production')
  return ctx.db.transaction(async (tx) => {
    // If two processes start at once, the second waits here and then finds the business of the first.
    await lockInstallation(tx)
    if ((await listBusinessRows(tx)).length > 0) return undefined
    await writeBusiness(tx, business, ctx.by)
    const nowMs = business.createdAt.getTime()
    createKeyIn(tx, business.tenants.staging, { name: 'Default', secret: testKey, by: ctx.by }, nowMs)
    createKeyIn(tx, business.tenants.production, { name: 'Default', secret: liveKey, by: ctx.by }, nowMs)
    const first = { businessId: business.id, testKey, liveKey }
    await keep(first)
    return first
  }, laneOf(business))
}
