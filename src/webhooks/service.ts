// The webhooks module as the API uses it. The delivery worker sends what it writes.

import type { Environment, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Writer } from '#platform/db/lane.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { EventPipe } from '#events/outbox.ts'
import { type ForgeryOptions, createTrials, type Trials } from './endpoint-test.ts'
import { createDeliveryLog, type DeliveryLog } from './log.ts'
import { createRetries, type Retries } from './retry.ts'
import { createSignAgain, type SignAgain } from './listen.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'

export type Webhooks = {
  subscriptions: Subscriptions
  log: DeliveryLog
  retries: Retries
  trials: Trials
  signAgain: SignAgain
  /** True if only this machine uses staging, so a receiver may run on it too. */
  local: boolean
}

export type WebhooksOptions = Writer & {
  box: SecretBox
  events: EventPipe
  local: boolean
  maxAttempts: (environment: Environment) => number
  sendNow: (tenant: Tenant, deliveryId: Uuid) => Promise<unknown>
  sendForged: ForgeryOptions['sendForged']
  testsAtOnceMax: number
  wake: () => void
}

export function createWebhooks({ local, ...options }: WebhooksOptions): Webhooks {
  const subscriptions = createSubscriptions(options)
  const log = createDeliveryLog(options)
  return {
    subscriptions,
    log,
    retries: createRetries(options),
    signAgain: createSignAgain(options),
    trials: createTrials({ ...options, subscriptions, log }),
    local,
  }
}
