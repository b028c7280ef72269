// A customer: somebody of whom a business expects money.

import type { Uuid } from '#base/ids.ts'

/** What a business says of its customer, and may correct. */
export type CustomerDetails = {
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  /** JSON text, as it came. */
  metadata: string | null
}

export type Customer = CustomerDetails & {
  lane: number
  tenantId: Uuid
  id: Uuid
  reference: string
  status: 'ACTIVE'
  createdAt: Date
  updatedAt: Date
}
