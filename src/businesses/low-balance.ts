// Below which available balance a business wants to be told so. It is only told: nothing is held back by it.

import { record } from '#audit/record.ts'
import type { Context, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { Kobo } from '#base/money.ts'
import { withTenants } from '#ledger/lock.ts'
import { deleteLowBalance, putLowBalance, selectLowBalance } from './sql-low-balance.ts'

/** Null: it wants no such word. */
export function readLowBalance(ctx: Context, tenant: Tenant): Promise<Kobo | null> {
  return selectLowBalance(inLane(ctx.db, tenant.lane), tenant.id)
}

/** Set to what it is, it is no act. */
export function setLowBalance(ctx: Context, tenant: Tenant, amount: Kobo | null): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const before = await withTenants(tx, [tenant.id], () => selectLowBalance(tx, tenant.id))
    if (before === amount) return
    if (amount === null) deleteLowBalance(tx, tenant.id)
    else putLowBalance(tx, tenant.id, amount)
    const details = { amount: wordOf(amount), amountBefore: wordOf(before) }
    record(tx, ctx.clock.now(), { by: ctx.by, act: 'low-balance.set', tenantId: tenant.id, details })
  }, tenant.lane)
}

/** As text: an amount is never a double. */
function wordOf(amount: Kobo | null): string {
  return amount === null ? 'none' : String(amount)
}
