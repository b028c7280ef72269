// Data about the whole installation, which only operators may see.

import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'
import type { Currency } from './schema.ts'

/** A review item: an exception, or a mismatch between a rail's list and our records. */
export type Finding = {
  /** Present for a mismatch. */
  rail?: string
  id: string
  kind: string
  environment: string
  subject: string
  reference: string | null
  businessId: string | null
  businessName: string | null
  amount: number | null
  /** Null if an older version opened the item: it stored no currency for mismatches. */
  currency: Currency | null
  openedAt: string
  says: string
}

export function currencyOf({ currency }: Finding): Currency {
  return currency ?? 'NGN'
}

export type Operations = {
  /** Due work that no worker has claimed. */
  backlog: { queue: 'payments' | 'deliveries' | 'accounts'; count: number; oldestSeconds: number }[]
  /** Payments that ended in this hour and in the one before, of all businesses. */
  ended: { hour: string; succeeded: number; failed: number; deposits: number }[]
  rails: {
    name: string
    kind: string
    environment: string
    ports: string[]
    state: string
    breakers: { port: string; state: string }[]
    /** Null: the provider does not report its balances. */
    wallets: { currency: Currency; country: string | null; amount: number }[] | null
    /** The time of the provider's last notice. Null: the provider sends none, or sent none lately. */
    noticedAt: string | null
  }[]
  /** The oldest exceptions, up to a limit. */
  exceptions: Finding[]
  exceptionsTotal: number
  breaks: Finding[]
  notices: { stuck: number }
  /** `businessId` null: the payouts of all businesses are paused. */
  pauses: { businessId: string | null; businessName: string | null; environment: string; since: string }[]
}

export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: async ({ signal }) => (await ask<Operations>('/dashboard/api/operations', { signal })).data,
  // The page asks again, because the live stream reports changes of one business only.
  refetchInterval: 15_000,
})

export async function closeFinding(list: 'exceptions' | 'breaks', id: string, note: string): Promise<void> {
  await post(`${list}/${encodeURIComponent(id)}/close`, { note })
}

type Money = { business: string; environment: string; note: string }

export type Ending = 'success' | 'failed' | 'returned'

export async function settlePayment(
  id: string,
  body: Money & { reference: string; as: Ending; toBank: boolean },
): Promise<{ reference: string; status: string }> {
  return post(`items/${encodeURIComponent(id)}/settle`, body)
}

/** `amount`: in the minor unit; a positive one is added to the balance, a negative one is taken from it. */
export async function adjustBalance(
  id: string,
  body: Money & { amount: number; currency: Currency },
): Promise<{ available: number }> {
  return post(`items/${encodeURIComponent(id)}/adjust`, body)
}

export async function adoptDeposit(body: {
  notice: string
  account: string
  note: string
}): Promise<{ reference: string }> {
  return post('deposits/adopt', body)
}

export type RefundResolution = 'refunded' | 'retry'

/** `reference`: the reference of the deposit. */
export async function resolveRefund(body: {
  reference: string
  as: RefundResolution
  note: string
}): Promise<{ reference: string; status: string }> {
  return post('deposits/resolve-refund', body)
}

async function post<T>(path: string, body: object): Promise<T> {
  return (await ask<T>(`/dashboard/api/operations/${path}`, { method: 'POST', body })).data
}
