// Settling collections: the money of one that succeeds is an inflow, and becomes a deposit in the same commit.

import type { Tx } from '#base/db.ts'
import type { Inflows } from '#deposits/from-collection.ts'
import { findOperator } from '#directory/operators.ts'
import { isFinal, type MomoCollection, type Payment } from './payment.ts'
import { publicIdOf } from './wire.ts'

/** Before collections among these payments can succeed, whose tenants' locks are held. */
export async function expectInflows(inflows: Inflows, tx: Tx, payments: Payment[]): Promise<void> {
  const collecting = payments.filter(({ kind, status }) => kind === 'momo_collection' && !isFinal(status))
  if (collecting.length === 0) return
  await inflows.expect(tx, new Set(collecting.map(({ tenantId }) => tenantId)))
}

/** The money is in: makes it a deposit, and returns the collection that names it. */
export function recordInflow(inflows: Inflows, tx: Tx, collection: MomoCollection): MomoCollection {
  const { phoneNumber, operator, customerName, narration, tenantId, currency, amount, fee } = collection
  const deposit = inflows.record(tx, {
    tenantId,
    currency,
    amount,
    fee,
    provider: 'momo',
    providerId: publicIdOf(collection),
    senderAccountName: customerName ?? phoneNumber,
    senderAccountNumber: phoneNumber,
    senderBankName: findOperator(operator)?.name ?? operator,
    narration: narration ?? '',
    atMs: collection.updatedAt.getTime(),
  })
  const at = new Date(deposit.atMs)
  return {
    ...collection,
    depositId: deposit.id,
    depositReference: deposit.reference,
    updatedAt: at,
    completedAt: at,
  }
}
