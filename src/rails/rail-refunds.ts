// The port through which money that could not be accepted goes back to who paid it. What every rail promises of it stands in
// rail.ts. A provider may know a refund by no reference of ours, so `not-found` must be about the right money.

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
  /** `attention`: what a person must do before the provider goes on. */
  | (Pending & { attention?: string })
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

const leaseSlackMs = 5_000

/** What a provider's adapter knows of refunds, and by which calls. */
export type RefundsOfProvider<Call> = {
  call: Call
  /** One after the other, of `readMs` each, while a refund is asked for. */
  callsMax: number
  readMs: number
  refund(call: Call, order: RefundOrder): Promise<RefundState>
  ask(call: Call, order: RefundOrder): Promise<RefundState | NotFound>
}

export function refundsBy<Call>(provider: RefundsOfProvider<Call>): Refunds {
  const { call, callsMax, readMs } = provider
  return {
    refundLeaseMs: callsMax * readMs + leaseSlackMs,
    refund: (order) => provider.refund(call, order),
    status: (order) => provider.ask(call, order),
  }
}

export type RefundWord = 'refunded' | 'pending' | 'failed'

/** A word that is new is undefined, and nothing follows of it. */
export function refundStateOf(provider: string, word: RefundWord | undefined): RefundState {
  if (word === undefined) return { kind: 'unknown', detail: 'refund: a status word that is not known' }
  return word === 'failed' ? { kind: word, detail: `refund: ${provider} says that it failed` } : { kind: word }
}
