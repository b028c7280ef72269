// What a delivery looks like in answers: stated once for the endpoints that show one.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import type { Uuid } from '#base/ids.ts'
import { record, requireId, timeData } from '#http/fields.ts'
import { deliveryStatuses } from '#webhooks/delivery.ts'
import { subscriptionEnvironments } from '#webhooks/subscription.ts'
import { webhookEvent } from './webhook-payload-fields.ts'

export const deliveryStatus = z.enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`)

const attemptFields = {
  attempt: z.int(),
  trigger: z.enum(['automatic', 'manual']),
  responseCode: z.int().nullable().describe('Null: there was no answer.'),
  error: z.string().nullable(),
  durationMs: z.int(),
  createdAt: timeData,
}
const responseBody = z.string().nullable().describe('The first 4 KiB of the answer.')

const deliveryFields = {
  id: z.string().describe('evt_…; also the id of the payload and of X-Webhook-Id.'),
  event: z.string(),
  reference: z.string(),
  webhookId: z.string().describe('whk_…'),
  url: z.string().describe('Where the subscription is now.'),
  environment: z.enum(subscriptionEnvironments),
  status: z.enum(deliveryStatuses).describe('failed: the last attempt did, and more may follow (nextAttemptAt).'),
  attempts: z.int(),
  maxAttempts: z.int().describe('Of the schedule; attempts by hand come on top.'),
  responseCode: z.int().nullable().describe('Of the last attempt.'),
  lastError: z.string().nullable(),
  lastAttemptAt: timeData.nullable(),
  nextAttemptAt: timeData.nullable().describe('By the schedule. Null: none is left.'),
  deliveredAt: timeData.nullable(),
  createdAt: timeData,
  updatedAt: timeData,
}
const latest = 'The latest 100, the first of them first.'

export const deliverySchema = record('WebhookDelivery', {
  ...deliveryFields,
  deliveryAttempts: z.array(record('WebhookAttempt', attemptFields)).describe(latest),
})

export const deliveryDetailSchema = record('WebhookDeliveryDetail', {
  ...deliveryFields,
  deliveryAttempts: z.array(record('WebhookAttemptDetail', { ...attemptFields, responseBody })).describe(latest),
  payload: webhookEvent,
})

export const testedSchema = record('WebhookTestResult', {
  eventId: z.string().describe('evt_…'),
  delivered: z.boolean(),
  ...attemptFields,
  responseBody,
})

export const eventParams = z.object({ eventId: z.string() })

export function deliveryIdOf(unchecked: string): Uuid {
  return requireId('event', unchecked, eventNotFound)
}

export function eventNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Webhook event not found')
}
