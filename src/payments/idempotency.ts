// Idempotency of payments: what follows if a business sends a reference again. The same request is a replay. A request that
// differs in a material field, or that has another kind, is a conflict. `decide` (accept.ts) looks up the first payment
// under the tenant's lock, so of two requests at once, the second finds the payment of the first. `asAccepted`
// (payment.ts) makes the answer to a replay.

import type { Draft, Payment, PaymentKind } from './payment.ts'

export type RepeatOutcome =
  | { kind: 'replayed'; payment: Payment }
  | { kind: 'differs'; first: Payment; field: string }
  | { kind: 'other-kind'; first: Payment }

export function compareWithFirst(first: Payment, draft: Draft): RepeatOutcome {
  if (first.kind !== draft.kind) return { kind: 'other-kind', first }
  const field = differingField(first, draft)
  return field === undefined ? { kind: 'replayed', payment: first } : { kind: 'differs', first, field }
}

/** Other fields, such as the narration, may differ: the first payment keeps its own. */
const materialFields: Record<PaymentKind, readonly string[]> = {
  bank_transfer: ['amount', 'bankSlug', 'accountNumber'],
  momo_transfer: ['amount', 'phoneNumber', 'operator', 'accountNumber', 'accountReference'],
  momo_collection: ['amount', 'phoneNumber', 'operator'],
}

/** Returns the first material field that differs. */
export function differingField(
  first: { kind: PaymentKind } & Record<string, unknown>,
  second: Record<string, unknown>,
): string | undefined {
  return materialFields[first.kind].find((field) => first[field] !== second[field])
}
