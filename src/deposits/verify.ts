// What deposits promise about money, for `ledger verify`.

import { checkSides } from '#ledger/digests.ts'
import type { Check, Invariant } from '#ledger/invariant.ts'
import { depositReference } from './deposit.ts'
import { credited, findCulprits, toBeCredited, type Culprit } from './sql-verify.ts'

export const depositInvariants: Invariant[] = [
  { name: 'each SUCCESSFUL deposit is credited exactly once, less its fee, and no other ever', run: checkCredits },
]

function checkCredits(check: Check): Promise<void> {
  return checkSides(check, {
    found: credited,
    wanted: toBeCredited,
    findCulprits,
    tell: tellCulprit,
    name: 'deposits and movements',
  })
}

function tellCulprit({ id, status }: Culprit): { id: string; message: string } {
  return { id: depositReference(id), message: messageOf(status) }
}

function messageOf(status: string | null): string {
  if (status === null) return 'movements credit a deposit that does not exist'
  return status === 'SUCCESSFUL' ? 'SUCCESSFUL, but not credited exactly once' : `${status}, but credited`
}
