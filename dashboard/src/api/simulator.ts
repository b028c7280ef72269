// Calls of staging alone, which do what a bank, an operator or a payer does in production.

import { ask, under, type Place } from './client.ts'
import type { PaymentKind } from './payments.ts'
import type { Currency, Deposit } from './schema.ts'
import type { EventName } from './webhooks.ts'

export type Outcome = { status: 'SUCCESS' | 'FAILED' | 'REVERSED'; failureReason?: string }

const completePaths: Record<PaymentKind, string> = {
  transfer: 'transfers',
  'momo-transfer': 'momo/transfer',
  collection: 'momo/collection',
}

/** Resolves with the available balance afterwards. */
export async function fundBalance(place: Place, amount: number, currency: Currency): Promise<number> {
  const path = under(place, 'v1/sandbox/balance/fund')
  return (await ask<{ available: number }>(path, { method: 'POST', body: { amount, currency } })).data.available
}

export async function payIntoAccount(
  place: Place,
  body: { accountNumber: string; amount: number; status: 'PENDING' | 'SUCCESSFUL' },
): Promise<Deposit> {
  return (await ask<Deposit>(under(place, 'v1/sandbox/deposits'), { method: 'POST', body })).data
}

export async function settleDeposit(place: Place, reference: string, status: 'SUCCESSFUL' | 'FAILED'): Promise<void> {
  const path = under(place, `v1/sandbox/deposits/${encodeURIComponent(reference)}/settle`)
  await ask(path, { method: 'POST', body: { status } })
}

export async function completePayment(
  place: Place,
  kind: PaymentKind,
  reference: string,
  outcome: Outcome,
): Promise<void> {
  const path = under(place, `v1/sandbox/${completePaths[kind]}/${encodeURIComponent(reference)}/complete`)
  await ask(path, { method: 'POST', body: outcome })
}

/** Resolves with the number of subscriptions for which the event was queued. */
export async function triggerEvent(place: Place, event: EventName): Promise<number> {
  const path = under(place, 'v1/sandbox/webhooks/trigger')
  return (await ask<{ queued: number }>(path, { method: 'POST', body: { event } })).data.queued
}
