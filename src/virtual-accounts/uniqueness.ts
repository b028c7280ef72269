// What keeps a second account from being opened: a dynamic one of this reference, an open one of this customer at this
// bank. An account claims it while it counts, an opening from before the rail is asked; both are looked at together.

import { present } from '#platform/assert.ts'
import type { Uuid } from '#platform/ids.ts'
import type { VirtualAccount } from './account.ts'

export type Claim =
  | { tenantId: Uuid; type: 'dynamic'; reference: string }
  | { tenantId: Uuid; type: 'static'; reference: string; bankSlug: string }

type Claimant = Pick<VirtualAccount, 'customer' | 'reference'> & { bankSlug: string | null }

/** Undefined: a dynamic account without a reference is in nobody's way. */
export function claimOf(tenantId: Uuid, { customer, reference, bankSlug }: Claimant): Claim | undefined {
  if (customer !== null) {
    const slug = present(bankSlug, 'a static account is claimed at a bank')
    return { tenantId, type: 'static', reference: customer.reference, bankSlug: slug }
  }
  return reference === null ? undefined : { tenantId, type: 'dynamic', reference }
}

/** Within its tenant. A slug has no spaces, so two claims never have one name. */
export function claimName(claim: Claim): string {
  return claim.type === 'static' ? `static ${claim.reference} ${claim.bankSlug}` : `dynamic ${claim.reference}`
}

export function claimText(claim: Claim): string {
  return `${claim.tenantId} ${claimName(claim)}`
}
