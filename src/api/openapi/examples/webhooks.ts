// The examples of webhook subscriptions and deliveries, and the payload of each event.

import type { Json } from '#api/openapi/schemas.ts'
import { type loggedEvents, subscriptionsMax } from '#webhooks/subscription.ts'
import type { Example } from './example.ts'
import { customerDeposit, dynamicDeposit } from './deposits.ts'
import { failedCollection, failedMomoTransfer, succeededCollection, succeededMomoTransfer } from './mobile-money.ts'
import { failedTransfer, succeededTransfer } from './transfers.ts'

const transferEventId = 'evt_01m80ryj1ee01vhcb9kf81xg7s'

type EventAbout = { id: string; at: string; reference: string; data: Json }

function about(id: string, data: Json & { reference: string; updatedAt: string }): EventAbout {
  return { id, at: data.updatedAt, reference: data.reference, data }
}

const reversed = {
  ...succeededTransfer,
  status: 'REVERSED',
  updatedAt: '2026-01-15T09:30:06.381Z',
  completedAt: '2026-01-15T09:30:06.381Z',
}

const test: EventAbout = {
  id: 'evt_01m80ryjcee009pw942x859pxv',
  at: '2026-01-15T09:30:01.746Z',
  reference: 'TEST-01M80RYJCEE00AW3FQ9T0N6D2K',
  data: { webhookId: 'whk_01m80rygyne00af1zgn04ev7yz', message: 'This is a test. Nothing has happened.' },
}

const abouts: Record<(typeof loggedEvents)[number], EventAbout> = {
  'transfer.success': about(transferEventId, succeededTransfer),
  'transfer.failed': about('evt_01m80ryjs4e00cq7e1b5n8wd2h', failedTransfer),
  'transfer.reversed': about('evt_01m80rypxxe01d4g0v6m3k9s7c', reversed),
  'deposit.success': about('evt_01m80ryk2ge02f8h5j1t6x4r9b', dynamicDeposit),
  'customer.deposit.success': about('evt_01m80ryk56e00s3z9k7v2m5q8d', customerDeposit),
  'momo.transfer.success': about('evt_01m80rym6qe01p6w4c8n2y5t3a', succeededMomoTransfer),
  'momo.transfer.failed': about('evt_01m80ryns9e00g7b3r5h9d1k6f', failedMomoTransfer),
  'momo.collection.success': about('evt_01m80rynpfe02m1x8q4s6v3j9w', succeededCollection),
  'momo.collection.failed': about('evt_01m80rynv2e00t5c2f7a9z4n8e', failedCollection),
  'webhook.test': test,
}

export function eventExample(event: keyof typeof abouts): Json {
  const { id, at, reference, data } = abouts[event]
  return { id, event, type: event, environment: 'sandbox', createdAt: at, timestamp: at, reference, data }
}

const created = {
  id: 'whk_01m80rygyne00af1zgn04ev7yz',
  url: 'https://shop.example.com/webhooks',
  events: ['transfer.success', 'transfer.failed'],
  environment: 'sandbox',
  status: 'active',
  secret: 'whsec_5VJcCM0KdADP89u50L0iwq9i3c34I0WwIFuT5W1rtsc=',
  createdAt: '2026-01-15T09:30:00.300Z',
  updatedAt: '2026-01-15T09:30:00.300Z',
}

const { secret: _secret, ...known } = created
const subscription = {
  ...known,
  secretHint: 'whsec_…rtsc=',
  disabledReason: null,
  failingSince: null,
  oldSecretExpiresAt: null,
}
const moreEvents = ['transfer.success', 'transfer.failed', 'transfer.reversed']

const attempt = {
  attempt: 1,
  trigger: 'automatic',
  responseCode: 200,
  error: null,
  durationMs: 43,
  createdAt: '2026-01-15T09:30:01.398Z',
}

const delivery = {
  id: transferEventId,
  event: 'transfer.success',
  reference: 'PAYOUT-1001',
  webhookId: created.id,
  url: created.url,
  environment: 'sandbox',
  status: 'delivered',
  attempts: 1,
  maxAttempts: 5,
  responseCode: 200,
  lastError: null,
  lastAttemptAt: '2026-01-15T09:30:01.398Z',
  nextAttemptAt: null,
  deliveredAt: '2026-01-15T09:30:01.442Z',
  createdAt: '2026-01-15T09:30:01.381Z',
  updatedAt: '2026-01-15T09:30:01.442Z',
  deliveryAttempts: [attempt],
}

const sample = {
  ...delivery,
  id: 'evt_01m80ryjese02aby2qmk9v3wpf',
  event: 'transfer.reversed',
  reference: 'SAMPLE-01M80RYJESE00R303QMADGKZYH',
  status: 'pending',
  attempts: 0,
  responseCode: null,
  lastAttemptAt: null,
  nextAttemptAt: '2026-01-15T09:30:01.808Z',
  deliveredAt: null,
  createdAt: '2026-01-15T09:30:01.808Z',
  updatedAt: '2026-01-15T09:30:01.808Z',
  deliveryAttempts: [],
}

const transferEvent = { ...eventExample('transfer.success'), id: 'evt_01m80ryj1ee00x9m2d6t4k8b3s' }
/** The time of the event, and its id. */
const transferCursor = `1768469401381_${transferEvent.id}`

const params = { id: created.id }
const eventParams = { eventId: delivery.id }
const notFound = { NOT_FOUND: { message: 'Webhook not found' } }
const eventNotFound = { NOT_FOUND: { message: 'Webhook event not found' } }

export const webhookExamples: Record<string, Example> = {
  createWebhook: {
    request: { url: created.url, events: created.events },
    answer: created,
    refusals: {
      CONFLICT: { message: `There are already ${subscriptionsMax} webhooks. Delete one before you create another.` },
    },
  },
  listWebhooks: { answer: { webhooks: [subscription] } },
  getWebhook: { params, answer: subscription, refusals: notFound },
  updateWebhook: {
    params,
    request: { events: moreEvents },
    answer: { ...subscription, events: moreEvents, updatedAt: '2026-01-15T09:30:01.792Z' },
    refusals: notFound,
  },
  rotateWebhookSecret: {
    params,
    request: { expireOldInHours: 24 },
    answer: {
      ...created,
      events: moreEvents,
      secret: 'whsec_nwyJSG5cEYx66KbK91Yo5D6haSyFf94/0CEssNGQVA8=',
      oldSecretExpiresAt: '2026-01-16T09:30:01.874Z',
      updatedAt: '2026-01-15T09:30:01.874Z',
    },
    refusals: notFound,
  },
  testWebhook: {
    params,
    answer: {
      eventId: 'evt_01m80ryjcee009pw942x859pxv',
      delivered: true,
      ...attempt,
      trigger: 'manual',
      responseBody: null,
    },
    refusals: notFound,
  },
  deleteWebhook: { params, answer: { id: created.id, deleted: true }, refusals: notFound },
  listEvents: {
    query: { limit: 1 },
    answer: { events: [transferEvent], cursor: transferCursor, hasMore: false },
  },
  listWebhookDeliveries: { answer: { events: [delivery] } },
  getWebhookDelivery: {
    params: eventParams,
    answer: {
      ...delivery,
      deliveryAttempts: [{ ...attempt, responseBody: null }],
      payload: eventExample('transfer.success'),
    },
    refusals: eventNotFound,
  },
  retryWebhookDelivery: {
    params: eventParams,
    request: { force: true },
    answer: { ...delivery, status: 'pending', deliveredAt: null, updatedAt: '2026-01-15T09:30:01.616Z' },
    refusals: {
      ...eventNotFound,
      CONFLICT: { message: 'The event was delivered. Send {"force":true} to send it again.' },
    },
  },
  retryWebhookDeliveries: { request: { from: '2026-01-15', to: '2026-01-16' }, answer: { queued: 0 } },
  triggerWebhookEvent: {
    request: { event: 'transfer.reversed' },
    answer: { event: 'transfer.reversed', queued: 1, events: [sample] },
  },
}
