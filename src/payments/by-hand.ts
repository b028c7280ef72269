// Ending a payment by hand: its provider has told a person how it ended, and its rail will never say. It takes the way of
// every other word (settle.ts), and is refused while the rail may still act (may-still-act.ts).

import type { Actor, Context, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { Lane } from '#base/lane.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/deposit.ts'
import { createEventPipe } from '#events/pipe.ts'
import type { Payment, Result } from './payment.ts'
import { settleOperation, type SettleOutcome } from './settle.ts'
import { findPayments } from './sql.ts'

export type ByHand = { reference: string; as: 'success' | 'failed'; note: string; by: Actor }

export type SettleByHand = (tenant: Tenant, word: ByHand) => Promise<SettleOutcome>

export function createSettleByHand(ctx: Context, laneOf: (lane: number) => Lane): SettleByHand {
  const settling = settleOperation(ctx, createEventPipe(ctx.clock), createInflows(ctx, depositFees))
  return async (tenant, { reference, as, note, by }) => {
    const [payment] = await findPayments(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, reference }])
    if (payment === undefined) return { kind: 'not-found' }
    const source = { kind: 'person' as const, environment: tenant.environment, by, note }
    const result = as === 'success' ? { kind: 'succeeded' as const } : failureOf(payment)
    return laneOf(tenant.lane).submit(settling, { tenantId: tenant.id, reference, result, source })
  }
}

/** The provider's reason is in the note; the API has a closed list. */
function failureOf({ kind }: Payment): Result {
  return { kind: 'failed', reason: kind === 'bank_transfer' ? 'PROVIDER_ERROR' : 'UNSPECIFIED_FAILURE' }
}
