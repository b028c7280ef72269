// A customer, from whom a business expects money.

import type { OfTenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'

export const customerStatuses = ['ACTIVE', 'ERASED'] as const
/** An erased customer keeps its reference but no personal data (privacy/erase.ts). */
export type CustomerStatus = (typeof customerStatuses)[number]

/** Customer data that a business sends and may correct. */
export type CustomerDetails = {
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  /** JSON text, unchanged. */
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
