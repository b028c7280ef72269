// What limits of payouts promise, for `ledger verify`: the total of a day is what its payouts amount to.

import { uuidAfter } from '#base/ids.ts'
import type { Check } from '#ledger/invariant.ts'
import { payoutKinds, startOfDay } from './limits.ts'
import { paymentList } from './sql-lists.ts'
import { findLimited, totalsOfDay, type LimitedTenant } from './sql-verify-limits.ts'

export async function checkDays(check: Check): Promise<void> {
  for (let { from } = check; ;) {
    const page = await findLimited({ ...check, from })
    for (const tenant of page) await checkDay(check, tenant)
    check.progress(page.length)
    const last = page.at(-1)
    if (last === undefined || page.length < check.rowsPerPage) return
    from = uuidAfter(last.id)
  }
}

/** Where a day begins in the numbers never changes, so it may be read before what is compared. */
async function checkDay(check: Check, tenant: LimitedTenant): Promise<void> {
  const from = startOfDay(tenant.day)
  const after = []
  for (const kind of payoutKinds) {
    const { low } = await paymentList.rangeOf(check.lane, tenant, { from }, kind)
    after.push({ kind, ordinal: low })
  }
  const totals = await totalsOfDay(check.lane, tenant, after)
  if (totals === undefined || totals.counted === totals.accepted) return
  const message = `its limit counts ${totals.counted} on ${tenant.day}, its payouts of that day are ${totals.accepted}`
  check.report({ tenantId: tenant.id, ids: [tenant.day], message })
}
