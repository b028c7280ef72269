// A customer: somebody of whom a business expects money.

import type { Tx } from '#base/db.ts'
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

/**
 * Takes the lock under which everything of a tenant is numbered and decided. It is the lock of the tenant's ledger
 * accounts, which this room may not know; so it is given by whoever wires the house. What is read after `sent` is how
 * things are once the lock is held.
 */
export type LockTenants = (tx: Tx, lane: number, tenantIds: Uuid[]) => { sent: Promise<void>; done: Promise<void> }

/** The place of a tenant's latest row in its list. */
export type Last = { ordinal: bigint; createdAt: Date }

/** The next place: dense, and never dated before the one before it, whatever the clocks of several processes say. */
export function placeAfter(last: Last | undefined, nowMs: number): Last {
  if (last === undefined) return { ordinal: 1n, createdAt: new Date(nowMs) }
  return { ordinal: last.ordinal + 1n, createdAt: new Date(Math.max(nowMs, last.createdAt.getTime())) }
}
