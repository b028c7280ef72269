// Assembles webhooks for the API. `delivery/` sends the deliveries that are written here.

import type { Environment, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Writer } from '#platform/db/lane.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { EventOutbox } from '#events/outbox.ts'
import { type SignatureProbeOptions, createEndpointTests, type EndpointTests } from './endpoint-test.ts'
import { createDeliveryLog, type DeliveryLog } from './log.ts'
import { createRetries, type Retries } from './retry.ts'
import { createReadEvents, createSignAgain, type ReadEvents, type SignAgain } from './listen.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'

export type Webhooks = {
  subscriptions: Subscriptions
  log: DeliveryLog
  retries: Retries
  endpointTests: EndpointTests
  signAgain: SignAgain
  readEvents: ReadEvents
  local: boolean
}

export type WebhooksOptions = Writer & {
  box: SecretBox
  events: EventOutbox
  local: boolean
  maxAttempts: (environment: Environment) => number
  sendNow: (tenant: Tenant, deliveryId: Uuid) => Promise<unknown>
  sendInvalidSignature: SignatureProbeOptions['sendInvalidSignature']
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
    readEvents: createReadEvents(options),
    endpointTests: createEndpointTests({ ...options, subscriptions, log }),
    local,
  }
}
