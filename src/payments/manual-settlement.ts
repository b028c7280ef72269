// Settles a payment by hand. An operator of the service does this in two cases: the provider told the operator how the
// payment ended, and the rail will never report it; or the money came back outside the API after a success. The payment
// is settled like any other result (settle.ts), but not while its rail may still act.

import type { Actor, Context, Tenant } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import type { Lane } from '#platform/db/lane.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/fees.ts'
import { createEventOutbox } from '#events/outbox.ts'
import type { Payment, Result } from './payment.ts'
import { settleOperation, type SettleOutcome, type Settling } from './settle.ts'
import { findPayments } from './queries.ts'

export type ByHand = {
  reference: string
  as: 'success' | 'failed' | 'returned'
  note: string
  by: Actor
  /** True if returned money arrived in the company's own bank account, not in the balance at the provider. */
  toBank?: boolean
  /** Closes the review item that the operator decided on, in the transaction that settles the payment. */
  closeItem?: (tx: Tx) => Promise<void>
}

export type SettleByHand = (tenant: Tenant, decision: ByHand) => Promise<SettleOutcome>

/** `settling`: the operation of this process; absent on the command line, where no services run. */
export function createSettleByHand(
  ctx: Context,
  laneOf: (lane: number) => Lane,
  settling: Settling = settleOperation(ctx, createEventOutbox(ctx.clock), createInflows(ctx, depositFees)),
): SettleByHand {
  return async (tenant, { reference, as, ...decision }) => {
    const [payment] = await findPayments(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, reference }])
    if (payment === undefined) return { kind: 'not-found' }
    const source = { kind: 'person' as const, environment: tenant.environment, ...decision }
    return laneOf(tenant.lane).submit(settling, {
      tenantId: tenant.id,
      reference,
      result: resultOf(payment, as),
      source,
    })
  }
}

function resultOf({ kind }: Payment, as: ByHand['as']): Result {
  switch (as) {
    case 'success':
      return { kind: 'succeeded' }
    case 'failed':
      // The API has a fixed list of reasons. The provider's own reason is in the operator's note.
      return { kind: 'failed', reason: kind === 'bank_transfer' ? 'PROVIDER_ERROR' : 'UNSPECIFIED_FAILURE' }
    case 'returned':
      return { kind: 'reversed' }
  }
}
