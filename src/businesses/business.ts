// A business and its two tenants. Staging opens with money, so that a first transfer works with no set-up.

import { record } from '#audit/record.ts'
import type { Actor, Context, Environment, Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { formatId, newUuid, type Uuid } from '#base/ids.ts'
import { toKobo } from '#base/money.ts'
import { openBook, openTenantAccounts } from '#ledger/post.ts'
import { openingPostings } from '#ledger/posting.ts'
import { requireLane } from './lanes.ts'
import { readLaneCount } from './sql-lanes.ts'
import { findTenantRow, insertBusiness, insertTenant, listBusinessRows } from './sql.ts'

export type Business = { id: Uuid; name: string; createdAt: Date }

export type NewBusiness = Business & { tenants: Record<Environment, Tenant> }

/** ₦1,000,000,000.00 */
const stagingOpeningBalance = toKobo(100_000_000_000)

/** `alongside`: what is written with it, or not at all. */
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

/** With its ids and its lane, before anything of it is written. */
export function draftBusiness(lanes: number, name: string, nowMs: number): NewBusiness {
  const id = newUuid(nowMs)
  // Both tenants of a business share a lane; businesses spread over the lanes by the random end of their ids.
  const lane = (Number.parseInt(id.slice(-6), 16) % lanes) + 1
  const tenants = {
    staging: { lane, id: newUuid(nowMs), environment: 'staging' as const },
    production: { lane, id: newUuid(nowMs), environment: 'production' as const },
  }
  return { id, name, createdAt: new Date(nowMs), tenants }
}

/** In a transaction of its lane. */
export async function writeBusiness(tx: Tx, { id, name, createdAt, tenants }: NewBusiness, by: Actor): Promise<void> {
  await requireLane(tx, tenants.staging.lane)
  insertBusiness(tx, id, name, createdAt)
  for (const tenant of Object.values(tenants)) {
    insertTenant(tx, tenant, id, createdAt)
    openTenantAccounts(tx, tenant, 'NGN')
  }
  const book = await openBook(tx, [tenants.staging.id])
  const cause = { id, reference: 'opening balance', atMs: createdAt.getTime() }
  book.post(tenants.staging.id, 'NGN', cause, openingPostings(stagingOpeningBalance))
  record(tx, createdAt.getTime(), {
    by,
    act: 'business.created',
    subject: formatId('business', id),
    details: { name },
  })
}

export function laneOf({ tenants }: NewBusiness): number {
  return tenants.staging.lane
}

export async function listBusinesses(ctx: Context): Promise<Business[]> {
  const rows = await listBusinessRows(ctx.db)
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }))
}

export function findTenant(ctx: Context, businessId: Uuid, environment: Environment): Promise<Tenant | undefined> {
  return findTenantRow(ctx.db, businessId, environment)
}
