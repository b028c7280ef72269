// The port through which money that could not be accepted goes back to who paid it. What every rail promises of it stands in
// rail.ts; that `not-found` is proof counts double here, because a provider may know a refund by no reference of ours.

import type { Currency, Kobo } from '#base/money.ts'
import type { NotFound, Pending, Unknown } from './rail.ts'

export type RefundOrder = {
  /** Ours, for providers that know refunds by one. */
  railReference: string
  /** The provider's own id of the money that came in: the one of its notice. */
  providerId: string
  /** All of it. */
  amount: Kobo
  currency: Currency
  /** Why, in a few plain words for the provider's records. */
  reason: string
  /** When it was asked for last, as it was stored before that. */
  submittedAtMs: number
}

export type RefundState =
  | Pending
  | { kind: 'refunded' }
  /** The provider has refused it for good: a person must look. */
  | { kind: 'failed'; detail: string }
  | Unknown

export type Refunds = {
  /** Longer than `refund` can take. */
  refundLeaseMs: number
  refund(order: RefundOrder): Promise<RefundState>
  status(order: RefundOrder): Promise<RefundState | NotFound>
}
