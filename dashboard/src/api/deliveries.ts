// Webhook deliveries and their answers.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place, type Query } from './client.ts'

export type Delivery = {
  id: string
  eventId: string
  eventType: string
  /** The reference of the payment or deposit that the delivery is about. */
  reference: string
  subscriptionId: string
  url: string
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  createdAt: string
  nextAttemptAt: string | null
}

/** The API's status is `failed` from the first failed attempt on. People see `retrying` if another attempt follows. */
export function statusOfDelivery({ status, nextAttemptAt }: { status: string; nextAttemptAt: string | null }): string {
  return status === 'failed' && nextAttemptAt !== null ? 'retrying' : status
}

export type DeliveryAttempt = {
  number: number
  at: string
  statusCode: number | null
  milliseconds: number
  error: string | null
  response: string | null
  /** Only the beginning of the response was stored, because it was too long. */
  isCut: boolean
}

/**
 * `attempts` is the list of attempts instead of their number. `curl` is a command that sends the body again with a
 * fresh signature.
 */
export type DeliveryDetails = Omit<Delivery, 'attempts'> & {
  attempts: DeliveryAttempt[]
  body: string
  /** The headers, computed again with a fresh signature. Null: the subscription was deleted, and its secret with it. */
  headers: Record<string, string> | null
  curl: string | null
  /** The end of the secret that signs now, such as `whsec_…rtsc=`. */
  secretHint: string | null
}

/**
 * The live stream does not report attempts, so the page asks again: after two seconds if a delivery is pending,
 * otherwise a second after the next attempt, and at the latest after ten minutes.
 */
const [soonMs, behindMs, mostMs] = [2_000, 1_000, 600_000]

function untilAttempt(deliveries: readonly Pick<Delivery, 'status' | 'nextAttemptAt'>[]): number | false {
  if (deliveries.some(({ status }) => status === 'pending')) return soonMs
  const dueMs = deliveries.flatMap(({ nextAttemptAt }) => (nextAttemptAt === null ? [] : Date.parse(nextAttemptAt)))
  if (dueMs.length === 0) return false
  return Math.min(Math.max(Math.min(...dueMs) + behindMs - new Date().getTime(), soonMs), mostMs)
}

export function deliveriesQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'deliveries', query],
    queryFn: ({ signal }) => ask<{ deliveries: Delivery[] }>(under(place, 'deliveries'), { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilAttempt(state.data?.data.deliveries ?? []),
  })
}

export function deliveryQuery(place: Place, id: string) {
  const path = under(place, `deliveries/${encodeURIComponent(id)}`)
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'delivery', id],
    queryFn: async ({ signal }) => (await ask<DeliveryDetails>(path, { signal })).data,
    refetchInterval: ({ state }) => untilAttempt(state.data === undefined ? [] : [state.data]),
  })
}

/** `force`: retries the delivery even if it was delivered. */
export async function retryDelivery(place: Place, eventId: string, force: boolean): Promise<void> {
  await ask(under(place, `v1/webhooks/events/${encodeURIComponent(eventId)}/retry`), {
    method: 'POST',
    body: { force },
  })
}

/** Sends the failed deliveries of a period again: at most 10,000, the oldest first. Resolves with their number. */
export async function retryFailed(
  place: Place,
  body: { from: string; to: string; webhookId?: string; event?: string },
): Promise<number> {
  const path = under(place, 'v1/webhooks/events/retry')
  return (await ask<{ queued: number }>(path, { method: 'POST', body })).data.queued
}
