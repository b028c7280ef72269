// What deposits promise about money, for `ledger verify`.

import { checkSides } from '#ledger/digests.ts'
import type { Check, Invariant } from '#ledger/invariant.ts'
import { depositReference } from './deposit.ts'
import { unbookedPages } from './sql-verify-float.ts'
import { sides, type Culprit } from './sql-verify.ts'

export const depositInvariants: Invariant[] = [
  { name: 'each SUCCESSFUL deposit is credited exactly once, less its fee, and no other ever', run: checkCredits },
  { name: 'each SUCCESSFUL deposit of a rail is in its float book once', run: checkFloat },
]

function checkCredits(check: Check): Promise<void> {
  return checkSides(check, { ...sides, tell: tellCulprit, name: 'deposits and movements' })
}

async function checkFloat(check: Check): Promise<void> {
  for await (const { rows, parts } of unbookedPages(check)) {
    for (const { tenantId, count, ids } of parts) {
      const message = 'SUCCESSFUL, but the float book of its rail does not say so'
      check.report({ tenantId, ids: ids.map(depositReference), count: Number(count), message })
    }
    check.progress(rows)
  }
}

function tellCulprit({ id, status }: Culprit): { id: string; message: string } {
  return { id: depositReference(id), message: messageOf(status) }
}

function messageOf(status: string | null): string {
  if (status === null) return 'movements credit a deposit that does not exist'
  return status === 'SUCCESSFUL' ? 'SUCCESSFUL, but not credited exactly once' : `${status}, but credited`
}
