// A customer: somebody of whom a business expects money.

import type { OfTenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'

export const customerStatuses = ['ACTIVE', 'ERASED'] as const
/** An erased one keeps its reference, and says nothing of who it was (privacy/erase.ts). */
export type CustomerStatus = (typeof customerStatuses)[number]

/** What a business says of its customer, and may correct. */
export type CustomerDetails = {
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  /** JSON text, as it came. */
  metadata: string | null
}

export type Customer = OfTenant &
  CustomerDetails & {
    id: Uuid
    reference: string
    status: CustomerStatus
    createdAt: Date
    updatedAt: Date
  }
