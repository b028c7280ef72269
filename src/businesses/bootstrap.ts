// First run: one business with one key per environment, so that the first request works within a minute.

import type { Context } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { draftBusiness, laneOf, writeBusiness } from './business.ts'
import { createKeyIn, newKeyText } from './keys.ts'
import { readLaneCount } from './sql-lanes.ts'
import { listBusinessRows, lockInstallation } from './sql.ts'

export type FirstBusiness = { businessId: Uuid; testKey: string; liveKey: string }

/**
 * Makes the first business; undefined when there is one already. `keep` stores the keys before the commit: a business
 * whose keys were lost would be worse than none.
 */
export async function bootstrap(
  ctx: Context,
  given: { testKey: string | undefined; liveKey: string | undefined },
  keep: (first: FirstBusiness) => Promise<void> = () => Promise.resolve(),
): Promise<FirstBusiness | undefined> {
  if ((await listBusinessRows(ctx.db)).length > 0) return undefined
  const business = draftBusiness(await readLaneCount(ctx.db), 'Demo Business', ctx.clock.now())
  const testKey = given.testKey ?? newKeyText('staging')
  const liveKey = given.liveKey ?? newKeyText('production')
  return ctx.db.transaction(async (tx) => {
    // When two processes start at once, the second waits here and then finds the business of the first.
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
