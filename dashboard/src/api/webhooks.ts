// Webhook subscriptions, and the events of each.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import type {
  NewWebhookSubscription,
  RotatedWebhookSubscription,
  WebhookSubscription,
  WebhookTestResult,
} from './schema.ts'

export type EventName = WebhookSubscription['events'][number]

export function subscriptionsQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'webhooks'],
    // A business has at most 20, so one page holds them all.
    queryFn: async ({ signal }) => {
      const path = under(place, 'v1/webhooks')
      return (await ask<{ webhooks: WebhookSubscription[] }>(path, { query: { limit: 100 }, signal })).data.webhooks
    },
  })
}

/** The status of a subscription, or `failing` while all its deliveries fail. */
export function stateOf({ status, failingSince }: Pick<WebhookSubscription, 'status' | 'failingSince'>): string {
  return status === 'active' && failingSince !== null ? 'failing' : status
}

/**
 * Deliveries of one hour. In a busy hour only the latest ones are counted by status, so `delivered`, `failed` and
 * `pending` add up to less than `total`.
 */
export type HourOfDeliveries = { at: string; total: number; delivered: number; failed: number; pending: number }

/** The hours are read again this often, because the live stream does not report deliveries. */
const hoursFreshMs = 15_000

export function hoursQuery(place: Place, id: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'webhook-hours', id],
    queryFn: async ({ signal }) =>
      (await ask<{ hours: HourOfDeliveries[] }>(under(place, `webhooks/${encodeURIComponent(id)}/hours`), { signal }))
        .data.hours,
    refetchInterval: hoursFreshMs,
  })
}

export async function subscribe(
  place: Place,
  body: { url: string; events: EventName[] },
): Promise<NewWebhookSubscription> {
  return (await ask<NewWebhookSubscription>(under(place, 'v1/webhooks'), { method: 'POST', body })).data
}

export async function changeSubscription(
  place: Place,
  id: string,
  body: { url?: string; events?: EventName[]; status?: 'active' | 'disabled' },
): Promise<void> {
  await ask(pathOf(place, id), { method: 'PATCH', body })
}

export async function deleteSubscription(place: Place, id: string): Promise<void> {
  await ask(pathOf(place, id), { method: 'DELETE' })
}

export async function rotateSecret(
  place: Place,
  id: string,
  expireOldInHours: number,
): Promise<RotatedWebhookSubscription> {
  const request = { method: 'POST', body: { expireOldInHours } } as const
  return (await ask<RotatedWebhookSubscription>(`${pathOf(place, id)}/rotate-secret`, request)).data
}

export async function testSubscription(place: Place, id: string): Promise<WebhookTestResult> {
  return (await ask<WebhookTestResult>(`${pathOf(place, id)}/test`, { method: 'POST' })).data
}

function pathOf(place: Place, id: string): string {
  return under(place, `v1/webhooks/${encodeURIComponent(id)}`)
}
