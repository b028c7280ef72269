// An exception: a fact about money that no rule of ours may decide, and that waits for a person. It is raised in the
// transaction that learns of it, once for each fact, and stays until somebody has looked.

import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Kobo } from '#platform/money.ts'

export const exceptionKinds = [
  'notice-unowned',
  'notice-contradicted',
  'notice-stuck',
  'deposit-without-room',
  'deposit-unsettled',
  'refund-refused',
  'refund-unsettled',
  'payment-stuck',
  'payment-without-rail',
  'payment-contradicted',
  'return-without-room',
] as const
export type ExceptionKind = (typeof exceptionKinds)[number]

/** What there is to know of it. Kind, subject and fact together are what is raised once. */
export type Fact = {
  kind: ExceptionKind
  environment: Environment
  /** Unique over all tenants: the public id of a payment, the notice of a deposit (`noticeSubject`), or a rail's notice. */
  subject: string
  /** What is so, in words for a person. */
  fact: string
  /** Null: it is nobody's. */
  tenant: { lane: number; id: Uuid } | null
  /** What the business calls it; empty when there is no business. */
  reference: string
  currency: Currency
  /** Null: nobody knows. */
  amount: Kobo | null
}

export type Exception = Omit<Fact, 'tenant'> & {
  id: Uuid
  tenantId: Uuid | null
  businessId: Uuid | null
  businessName: string | null
  raisedAt: Date
  closedAt: Date | null
  note: string | null
}

/** Provider and its own id name money once and for all, within an environment. A person can paste it. */
export function noticeSubject(
  environment: Environment,
  { provider, providerId }: { provider: string; providerId: string },
): string {
  return `${environment}:${provider}:${providerId}`
}
