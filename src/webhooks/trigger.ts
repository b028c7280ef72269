// Sample events from the command line. The command writes them, as the sandbox endpoint does, and a server sends them:
// the one that runs, or the next one.

import { assert } from '#platform/assert.ts'
import type { Environment, Tenant } from '#platform/context.ts'
import type { Writer } from '#platform/db/lane.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { EventName } from '#events/catalogue.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { createDeliveryLog, type DeliveryLog } from './log.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createEndpointTests, type TriggeredSample } from './endpoint-test.ts'

export type Trigger = {
  sample(tenant: Tenant, event: EventName): Promise<TriggeredSample>
  log: DeliveryLog
}

type TriggerOptions = Writer & {
  maxAttempts: (environment: Environment) => number
}

export function createTrigger({ ctx, laneOf, maxAttempts }: TriggerOptions): Trigger {
  const log = createDeliveryLog({ ctx, maxAttempts })
  const endpointTests = createEndpointTests({
    ctx,
    laneOf,
    log,
    events: createEventOutbox(ctx.clock),
    subscriptions: createSubscriptions({ ctx, laneOf, box: noBox }),
    sendNow: () => neverHere(),
    sendInvalidSignature: () => neverHere(),
    testsAtOnceMax: 0,
  })
  return { log, sample: (tenant, event) => endpointTests.triggerSample(tenant, event) }
}

/** Writing a sample needs no secret; the process that sends it opens the secret of each subscription. */
const noBox: SecretBox = {
  seal: () => neverHere(),
  requireCurrent: () => neverHere(),
  open: () => neverHere(),
  reseal: () => neverHere(),
}

function neverHere(): never {
  assert(false, 'a process that only writes samples seals and sends nothing')
}
