// Subscriptions and deliveries as the API returns them.

import { isoTime } from '#platform/clock.ts'
import type { Environment } from '#platform/context.ts'
import { formatId } from '#platform/ids.ts'
import type { Attempt } from '#events/outbox.ts'
import { environmentNames } from '#events/payload.ts'
import type { SubscriptionStatus } from '#events/catalogue.ts'
import type { LogRecord, LogDetail } from './log.ts'
import type { Subscription } from './subscription.ts'
import type { Secret } from './subscriptions.ts'

function plainData(subscription: Subscription, environment: Environment) {
  return {
    id: formatId('webhook', subscription.id),
    url: subscription.url,
    events: subscription.events,
    environment: environmentNames[environment],
    // The API does not return deleted subscriptions.
    status: subscription.status as Exclude<SubscriptionStatus, 'deleted'>,
  }
}

const timesOf = ({ createdAt, updatedAt }: Subscription) => ({
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
})

export function createdData({ subscription, secret }: Secret, environment: Environment) {
  return { ...plainData(subscription, environment), secret, ...timesOf(subscription) }
}

export function rotatedData({ subscription, secret }: Secret, environment: Environment) {
  const oldSecretExpiresAt = timeOf(subscription.oldSecretUntil)
  return { ...plainData(subscription, environment), secret, oldSecretExpiresAt, ...timesOf(subscription) }
}

export function subscriptionData(subscription: Subscription, environment: Environment) {
  return {
    ...plainData(subscription, environment),
    secretHint: subscription.secretHint,
    disabledReason: subscription.disabledBecause,
    failingSince: timeOf(subscription.failingSince),
    oldSecretExpiresAt: timeOf(subscription.oldSecretUntil),
    ...timesOf(subscription),
  }
}

export function attemptData(attempt: Attempt) {
  return {
    attempt: attempt.attempt,
    trigger: attempt.trigger,
    responseCode: attempt.responseCode,
    error: attempt.error,
    durationMs: attempt.durationMs,
    createdAt: isoTime(attempt.createdAt),
  }
}

export function deliveryData(record: LogRecord, environment: Environment, maxAttempts: number) {
  return {
    id: formatId('event', record.id),
    event: record.event,
    reference: record.reference,
    webhookId: formatId('webhook', record.subscriptionId),
    url: record.url,
    environment: environmentNames[environment],
    status: record.status,
    attempts: record.attempts,
    maxAttempts,
    responseCode: record.responseCode,
    lastError: record.lastError,
    lastAttemptAt: timeOf(record.lastAttemptAt),
    nextAttemptAt: timeOf(record.nextAttemptAt),
    deliveredAt: timeOf(record.deliveredAt),
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    deliveryAttempts: record.deliveryAttempts.map(attemptData),
  }
}

export function deliveryDetailData({ record, payload }: LogDetail, environment: Environment, maxAttempts: number) {
  return {
    ...deliveryData(record, environment, maxAttempts),
    deliveryAttempts: record.deliveryAttempts.map((attempt) => ({
      ...attemptData(attempt),
      responseBody: attempt.responseBody,
    })),
    payload: JSON.parse(payload) as Record<string, unknown>,
  }
}

export function testedData({ record }: LogDetail) {
  const last = record.deliveryAttempts.at(-1)
  if (last === undefined) return undefined
  const { responseBody } = last
  return {
    eventId: formatId('event', record.id),
    delivered: record.status === 'delivered',
    ...attemptData(last),
    responseBody,
  }
}

function timeOf(time: Date | null): string | null {
  return time === null ? null : isoTime(time)
}
