// A review item (`Exception` in code): a fact about money that no rule may decide, so an operator must. It is raised
// in the transaction that finds it, once for each fact, and stays open until an operator has closed it or it is
// settled.

import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'

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

/** Kind, subject and fact together are raised once. */
export type Fact = {
  kind: ExceptionKind
  environment: Environment
  /**
   * Unique across tenants: the public id of a payment, the notice of a deposit (`noticeSubject`), or a rail's notice.
   */
  subject: string
  /** What has happened, as text for an operator. */
  fact: string
  /** Null if the money has no known owner. */
  tenant: { lane: number; id: Uuid } | null
  /** The business's own reference; empty if there is no business. */
  reference: string
  currency: Currency
  /** Null if unknown. */
  amount: Money | null
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

/** Within an environment, a provider and its own id identify money for good. An operator can paste it. */
export function noticeSubject(
  environment: Environment,
  { provider, providerId }: { provider: string; providerId: string },
): string {
  return `${environment}:${provider}:${providerId}`
}
