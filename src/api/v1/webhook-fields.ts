// Fields of webhook subscriptions, deliveries and payloads in requests and responses, shared by their endpoints.

import { z } from 'zod'
import { record, requireId, timeData, timeText, fromParameter, toParameter } from '#api/server/fields.ts'
import { ApiError, type FieldError } from '#platform/errors.ts'
import { present } from '#platform/assert.ts'
import { idForm, parseId, type Uuid } from '#platform/ids.ts'
import { accountTypes } from '#virtual-accounts/account.ts'
import { deliveryStatuses } from '#webhooks/log.ts'
import {
  disablingReasons,
  faultOfEvents,
  faultOfUrl,
  urlLengthMax,
  isEventName,
  subscribableEvents,
  subscriptionEnvironments,
  loggedEvents,
} from '#webhooks/subscription.ts'
import { depositSchema } from './deposits.ts'
import { momoCollections, momoTransfers } from './momo-payments.ts'
import { bankTransfers } from './transfers.ts'

/** There are fewer events than this, so a longer list repeats a name and is refused for that. */
const namesReadMax = 100

const odd = String.raw`\s\\#\u0000-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F`
/** The pattern in the API reference. It accepts everything that `faultOfUrl` accepts, and some invalid addresses too. */
const urlForm = `^[Hh][Tt][Tt][Pp][Ss]?://[^/?@${odd}]+(?:[/?][^${odd}]*)?$`

export const url = z
  .string('must be a string')
  .superRefine((value, context) => {
    const fault = faultOfUrl(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({
    description: 'An absolute https URL without user name or fragment.',
    maxLength: urlLengthMax,
    pattern: urlForm,
  })

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
      description: 'The events to receive. Events of other names are not sent.',
    },
  })

export const eventName = z.enum(subscribableEvents, `must be one of ${subscribableEvents.join(', ')}`)

export const environment = z.enum(subscriptionEnvironments, `must be one of ${subscriptionEnvironments.join(', ')}`)

/** The statuses that a caller can set and see. A deleted subscription is never shown. */
export const shownStatuses = ['active', 'disabled'] as const

const plainFields = {
  id: z.string().describe('whk_…'),
  url: z.string(),
  events: z.array(z.enum(subscribableEvents)),
  environment: z.enum(subscriptionEnvironments),
  status: z.enum(shownStatuses),
}
const times = { createdAt: timeData, updatedAt: timeData }
const secret = z
  .string()
  .describe('whsec_…, the whole text is the key of X-Webhook-Signature. Store it: it is shown only in this response.')
const oldSecretExpiresAt = timeData
  .nullable()
  .describe('Until then, deliveries are also signed with the old secret. Null if there is no old secret.')

export const createdSchema = record('NewWebhookSubscription', { ...plainFields, secret, ...times })
export const rotatedSchema = record('RotatedWebhookSubscription', {
  ...plainFields,
  secret,
  oldSecretExpiresAt,
  ...times,
})

export const subscriptionSchema = record('WebhookSubscription', {
  ...plainFields,
  secretHint: z.string().describe('The last characters of the secret.'),
  disabledReason: z
    .enum(disablingReasons)
    .nullable()
    .describe(
      'Why the service disabled it. GONE: the endpoint answered 410. FAILING: every delivery failed for 120 hours. Null otherwise.',
    ),
  failingSince: timeData
    .nullable()
    .describe('When the first delivery failed since the last success. Null if none has.'),
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

/** The list of field errors for a fault of `field`; empty if there is none. */
export function faultIn(field: string, fault: string | undefined): FieldError[] {
  return fault === undefined ? [] : [{ field, message: `${field} ${fault}` }]
}

export const webhookIdFilter = z
  .string('must be a string')
  .regex(idForm('webhook'), 'must be the id of a webhook, which begins with whk_')
  .transform((value) => present(parseId('webhook', value), 'the form of an id lets through what is none'))
  .meta({ description: 'whk_…' })

export const loggedEvent = z.enum(loggedEvents, `must be one of ${loggedEvents.join(', ')}`)

const timeSentence = 'must be a date (2026-01-31) or a time (2026-01-31T12:00:00Z), as a string'

/** One end of a time range in a body. It has the same form and meaning as in the query of a list. */
function requiredTime(end: typeof fromParameter) {
  return timeText(timeSentence, () => timeSentence)
    .transform((value) => present(end.parse(value), 'a time was given'))
    .meta({ description: 'A time, or a date for the whole day in UTC. Both ends of the range are included.' })
}

export const requiredFrom = requiredTime(fromParameter)
export const requiredTo = requiredTime(toParameter)

type LoggedEvent = (typeof loggedEvents)[number]

const virtualAccount = record('VirtualAccountMention', {
  id: z.string().describe('va_…'),
  type: z.enum(accountTypes),
  reference: z.string().nullable(),
  accountNumber: z.string(),
})

const customer = record('CustomerMention', {
  id: z.string().describe('cus_…'),
  reference: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string().nullable(),
})

const deposit = record('DynamicAccountDeposit', { ...depositSchema.shape, virtualAccount })
const customerDeposit = record('StaticAccountDeposit', { ...depositSchema.shape, virtualAccount, customer })
const test = record('WebhookTest', { webhookId: z.string().describe('whk_…'), message: z.string() })

/** The `data` of each event: the record as responses show it. Deposits also name their virtual account and customer. */
const dataOf: Record<LoggedEvent, z.ZodType> = {
  'transfer.success': bankTransfers.schema,
  'transfer.failed': bankTransfers.schema,
  'transfer.reversed': bankTransfers.schema,
  'deposit.success': deposit,
  'customer.deposit.success': customerDeposit,
  'momo.transfer.success': momoTransfers.schema,
  'momo.transfer.failed': momoTransfers.schema,
  'momo.collection.success': momoCollections.schema,
  'momo.collection.failed': momoCollections.schema,
  'webhook.test': test,
}

function payloadSchema(event: LoggedEvent) {
  return record(payloadName(event), {
    id: z.string().describe('evt_…, the same at every attempt. Also the id of the delivery in the log.'),
    event: z.literal(event),
    type: z.literal(event).describe('The same as `event`.'),
    environment: z.enum(subscriptionEnvironments),
    createdAt: timeData,
    timestamp: timeData.describe('The same as `createdAt`.'),
    reference: z.string().describe('The reference of the record in `data`.'),
    data: dataOf[event],
  })
}

/** `transfer.success` → `TransferSuccessEvent`. */
function payloadName(event: LoggedEvent): string {
  const words = event.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

export const payloads = loggedEvents.map((event) => ({ event, schema: payloadSchema(event) }))

const [first, ...others] = payloads.map(({ schema }) => schema)
const mapping = payloads.map(({ event }): [string, string] => [event, `#/components/schemas/${payloadName(event)}`])

export const webhookEvent: z.ZodType<Record<string, unknown>, Record<string, unknown>> = z
  .discriminatedUnion('event', [first as ReturnType<typeof payloadSchema>, ...others])
  .meta({
    id: 'WebhookEvent',
    description: 'The body of a delivery. Every attempt sends the same bytes.',
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(mapping) },
  })

export const deliveryStatus = z.enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`)

const attemptFields = {
  attempt: z.int(),
  trigger: z.enum(['automatic', 'manual']),
  responseCode: z.int().nullable().describe('The HTTP status of the response. Null if there was no response.'),
  error: z.string().nullable(),
  durationMs: z.int(),
  createdAt: timeData,
}
const responseBody = z.string().nullable().describe('The first 4 KiB of the response body.')

const deliveryFields = {
  id: z.string().describe('evt_…; also the id of the payload and of X-Webhook-Id.'),
  event: z.string(),
  reference: z.string(),
  webhookId: z.string().describe('whk_…'),
  url: z.string().describe('The current URL of the subscription.'),
  environment: z.enum(subscriptionEnvironments),
  status: z
    .enum(deliveryStatuses)
    .describe('`failed`: the last attempt failed; `nextAttemptAt` says whether another one follows.'),
  attempts: z.int(),
  maxAttempts: z.int().describe('The attempts of the schedule; manual attempts are not counted.'),
  responseCode: z.int().nullable().describe('The HTTP status of the response to the last attempt.'),
  lastError: z.string().nullable(),
  lastAttemptAt: timeData.nullable(),
  nextAttemptAt: timeData.nullable().describe('When the next attempt of the schedule is due. Null if none is left.'),
  deliveredAt: timeData.nullable(),
  createdAt: timeData,
  updatedAt: timeData,
}
const latest = 'The latest 100 attempts, the oldest first.'

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
