// What a webhook subscription looks like in requests and answers: stated once for its endpoints.

import { z } from 'zod'
import { ApiError, type FieldError } from '#base/error.ts'
import type { Uuid } from '#base/ids.ts'
import { record, requireId, timeData } from '#http/fields.ts'
import {
  disablingReasons,
  faultOfEvents,
  faultOfUrl,
  isEventName,
  subscribableEvents,
  subscriptionEnvironments,
} from '#webhooks/subscription.ts'

/** There are fewer events than this, so a longer list repeats a name, and its rest need not be read. */
const namesReadMax = 100

export const url = z
  .string('must be a string')
  .superRefine((value, context) => {
    const fault = faultOfUrl(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ description: 'An absolute https address, without user name and fragment.' })

export const events = z
  .preprocess(
    (value) => (Array.isArray(value) ? value.slice(0, namesReadMax) : value),
    z.array(z.unknown(), 'must be an array of event names').transform((names, context) => {
      const fault = names.every((name) => typeof name === 'string')
        ? faultOfEvents(names)
        : 'must hold names of events, as strings'
      if (fault === undefined) return names.filter((name) => typeof name === 'string').filter(isEventName)
      context.addIssue({ code: 'custom', message: fault })
      return z.NEVER
    }),
  )
  .meta({
    wire: {
      type: 'array',
      items: { type: 'string', enum: [...subscribableEvents] },
      minItems: 1,
      uniqueItems: true,
      description: 'What to be told of. No other kind is sent.',
    },
  })

export const eventName = z.enum(subscribableEvents, `must be one of ${subscribableEvents.join(', ')}`)

export const environment = z.enum(subscriptionEnvironments, `must be one of ${subscriptionEnvironments.join(', ')}`)

/** The statuses that a caller can set and see. A deleted subscription is shown nowhere. */
export const shownStatuses = ['active', 'disabled'] as const

const plainFields = {
  id: z.string().describe('whk_…'),
  url: z.string(),
  events: z.array(z.enum(subscribableEvents)),
  environment: z.enum(subscriptionEnvironments),
  status: z.enum(shownStatuses),
}
const times = { createdAt: timeData, updatedAt: timeData }
const secret = z.string().describe('whsec_…; the key of X-Webhook-Signature, as it stands. Shown this once.')
const oldSecretExpiresAt = timeData.nullable().describe('Until then deliveries are signed with the old secret too.')

export const createdSchema = record('NewWebhookSubscription', { ...plainFields, secret, ...times })
export const rotatedSchema = record('RotatedWebhookSubscription', {
  ...plainFields,
  secret,
  oldSecretExpiresAt,
  ...times,
})

export const subscriptionSchema = record('WebhookSubscription', {
  ...plainFields,
  secretHint: z.string().describe('The end of the secret.'),
  disabledReason: z
    .enum(disablingReasons)
    .nullable()
    .describe('Why the service disabled it: the endpoint answered 410 (GONE), or nothing but failures for 120 hours.'),
  failingSince: timeData.nullable().describe('The first failure since the last success.'),
  oldSecretExpiresAt,
  ...times,
})

export const webhookParams = z.object({ id: z.string() })

export function subscriptionIdOf(unchecked: string): Uuid {
  return requireId('webhook', unchecked, webhookNotFound)
}

export function webhookNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Webhook not found')
}

/** `url` and what is wrong with it, as a field error; nothing when nothing is. */
export function faultIn(field: string, fault: string | undefined): FieldError[] {
  return fault === undefined ? [] : [{ field, message: `${field} ${fault}` }]
}
