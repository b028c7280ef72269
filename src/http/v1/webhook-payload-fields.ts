// What a delivery's payload looks like, event by event: the records are those that the answers show.

import { z } from 'zod'
import { accountTypes } from '#customers/account.ts'
import { record, timeData } from '#http/fields.ts'
import { loggedEvents, subscriptionEnvironments } from '#webhooks/subscription.ts'
import { depositSchema } from './deposit-fields.ts'
import { momoCollections, momoTransfers } from './momo-fields.ts'
import { bankTransfers } from './transfer-fields.ts'

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

/** What each event is about. */
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
    id: z.string().describe('evt_…: the same at every attempt, and the id of the delivery in the log.'),
    event: z.literal(event),
    type: z.literal(event).describe('The same as `event`.'),
    environment: z.enum(subscriptionEnvironments),
    createdAt: timeData,
    timestamp: timeData.describe('The same as `createdAt`.'),
    reference: z.string().describe('Of the record that it is about.'),
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

/** Any payload; its `event` tells which. */
export const webhookEvent: z.ZodType<Record<string, unknown>, Record<string, unknown>> = z
  .discriminatedUnion('event', [first as ReturnType<typeof payloadSchema>, ...others])
  .meta({
    id: 'WebhookEvent',
    description: 'What is sent, byte by byte the same at every attempt.',
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(mapping) },
  })
