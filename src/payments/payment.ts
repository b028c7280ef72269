// A payment: what a business sends. Its kinds, its states and the moves between them; pure. The drawing of the states
// is docs/states.md, and the table's CHECKs refuse what is not in it.

import type { Uuid } from '#base/ids.ts'
import { add, type Currency, type Kobo } from '#base/money.ts'
import type { EventName } from '#events/catalogue.ts'
import type { Posting } from '#ledger/chart.ts'
import { failedPostings, reversedPostings, succeededPostings } from '#ledger/posting.ts'
import type { BankFailureReason } from '#rails/rail.ts'

export const paymentStatuses = ['queued', 'SUCCESS', 'FAILED', 'REVERSED'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

export type PaymentKind = 'bank_transfer' | 'momo_transfer' | 'momo_collection'

/** What the business asked for; never changes. */
export type Request = {
  reference: string
  amount: Kobo
  currency: Currency
  bankSlug: string
  accountNumber: string
  accountName: string
  narration: string | null
  /** JSON text, as it came. */
  metadata: string | null
}

export type Payment = Request & {
  lane: number
  tenantId: Uuid
  id: Uuid
  kind: PaymentKind
  status: PaymentStatus
  fee: Kobo
  bankName: string
  sessionId: string | null
  failureReason: BankFailureReason | null
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
  submittedAt: Date | null
  asks: number
}

/** What was learned about a payment. Only an explicit word of the rail (or, on staging, of the tester) moves money. */
export type Result =
  | {
      kind: 'succeeded'
      sessionId: string | null
      /** The rail may still take it back: look again then. */ lookAgainMs?: number
    }
  | { kind: 'failed'; reason: BankFailureReason }
  | { kind: 'reversed' }

export type Move = {
  status: PaymentStatus
  postings: Posting[]
  event: EventName
}

/** Undefined: the result changes nothing, because the payment has ended that way already or can no longer end so. */
export function moveOf(payment: Pick<Payment, 'status' | 'amount' | 'fee'>, result: Result): Move | undefined {
  const { status, amount, fee } = payment
  if (status === 'queued' && result.kind === 'succeeded') {
    return { status: 'SUCCESS', postings: succeededPostings(amount, fee), event: 'transfer.success' }
  }
  if (status === 'queued' && result.kind === 'failed') {
    return { status: 'FAILED', postings: failedPostings(amount, fee), event: 'transfer.failed' }
  }
  if (status === 'SUCCESS' && result.kind === 'reversed') {
    return { status: 'REVERSED', postings: reversedPostings(amount, fee), event: 'transfer.reversed' }
  }
  return undefined
}

export function isFinal(status: PaymentStatus): boolean {
  return status !== 'queued'
}

/** What acceptance sets aside. */
export function totalDebit(payment: { amount: Kobo; fee: Kobo }): Kobo {
  return add(payment.amount, payment.fee)
}

/**
 * The policy of idempotency: the fields in which a second request must agree with the first. Undefined: it is the same
 * request; else the name of the first field that differs. Names, narration and metadata never conflict.
 */
export function differingField(first: Request, second: Request): 'amount' | 'bankSlug' | 'accountNumber' | undefined {
  if (first.amount !== second.amount) return 'amount'
  if (first.bankSlug !== second.bankSlug) return 'bankSlug'
  return first.accountNumber === second.accountNumber ? undefined : 'accountNumber'
}

/** As it was when it was accepted: what a replay answers, whatever has become of it since. */
export function asAccepted(payment: Payment): Payment {
  return {
    ...payment,
    status: 'queued',
    sessionId: null,
    failureReason: null,
    updatedAt: payment.createdAt,
    completedAt: null,
  }
}
