// Claims prevent a second account: a dynamic one with the same reference, or an open static one of the same customer
// and bank. An account has its claim as long as it counts, an opening from before its rail is asked; both are checked
// together.

import { present } from '#platform/assert.ts'
import type { Uuid } from '#platform/ids.ts'
import type { VirtualAccount } from './account.ts'

export type UniquenessClaim =
  | { tenantId: Uuid; type: 'dynamic'; reference: string }
  | { tenantId: Uuid; type: 'static'; reference: string; bankSlug: string }

type Claimant = Pick<VirtualAccount, 'customer' | 'reference'> & { bankSlug: string | null }

/** Undefined for a dynamic account without a reference, which conflicts with no other. */
export function claimOf(tenantId: Uuid, { customer, reference, bankSlug }: Claimant): UniquenessClaim | undefined {
  if (customer !== null) {
    const slug = present(bankSlug, 'a static account is claimed at a bank')
    return { tenantId, type: 'static', reference: customer.reference, bankSlug: slug }
  }
  return reference === null ? undefined : { tenantId, type: 'dynamic', reference }
}

/** Unique within its tenant. A slug has no spaces, so two claims never have the same name. */
export function claimName(claim: UniquenessClaim): string {
  return claim.type === 'static' ? `static ${claim.reference} ${claim.bankSlug}` : `dynamic ${claim.reference}`
}

export function claimText(claim: UniquenessClaim): string {
  return `${claim.tenantId} ${claimName(claim)}`
}
