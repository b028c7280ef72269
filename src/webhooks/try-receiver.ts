// Trying a receiver: a sample of any event, to each subscription that named it; or a test, to one subscription, now.

import { traceOf, type Actor, type Tenant } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Writer } from '#base/lane.ts'
import { createTurns } from '#base/turns.ts'
import type { EventName } from '#events/catalogue.ts'
import type { EventPipe } from '#events/pipe.ts'
import type { LogRecord } from './delivery.ts'
import type { DeliveryLog, LogDetail } from './log.ts'
import { emitOperation } from './emit.ts'
import { forge, type Forgery, type ForgeryOptions } from './forge.ts'
import type { Subscriptions } from './subscriptions.ts'

export type Triggered = {
  event: EventName
  /** How many of them are sent; those of disabled subscriptions are only recorded. */
  queued: number
  records: LogRecord[]
}

export type Trials = {
  /** A signed delivery of a made-up event to each subscription that named it. */
  triggerSample(tenant: Tenant, event: EventName): Promise<Triggered>
  /** Sends now, also to a disabled subscription, and resolves when it is known how that went. */
  test(tenant: Tenant, subscriptionId: Uuid): Promise<LogDetail | undefined>
  /** To each subscription that is active, a delivery with a wrong signature; resolves with what they made of it. */
  forge(tenant: Tenant, by: Actor): Promise<Forgery[]>
}

export type TrialsOptions = Writer & {
  events: EventPipe
  subscriptions: Subscriptions
  log: DeliveryLog
  /** Makes one attempt at a delivery beside the schedule, and records it. Undefined: there is no receiver to send it to. */
  sendNow: (tenant: Tenant, deliveryId: Uuid) => Promise<unknown>
  /** How many connections `sendNow` has. */
  testsAtOnceMax: number
} & Pick<ForgeryOptions, 'sendForged'>

const samplesShownMax = 100
const testsAtOncePerSubscription = 2

export function createTrials(options: TrialsOptions): Trials {
  const { ctx, laneOf, events, log, subscriptions, sendNow } = options
  const emitting = emitOperation(ctx, events)
  const turns = createTurns({
    atOnceMax: testsAtOncePerSubscription,
    atOnceInAllMax: options.testsAtOnceMax,
    waitingMax: 0,
    waitMsMax: 0,
    sentence: `Too many tests are under way: at most ${testsAtOncePerSubscription} of one webhook at once. Wait for their answers.`,
  })

  async function test(tenant: Tenant, subscriptionId: Uuid): Promise<LogDetail | undefined> {
    const deliveryId = newUuid(ctx.clock.now())
    await laneOf(tenant.lane).submit(emitting, {
      kind: 'test',
      tenant,
      trace: traceOf(ctx),
      subscriptionId,
      deliveryId,
    })
    // Deleted since it was read.
    if ((await sendNow(tenant, deliveryId)) === undefined) return undefined
    const tested = await log.read(tenant, deliveryId)
    if (tested === undefined || tested.record.deliveryAttempts.length === 0) {
      throw new Unavailable('The test was interrupted; what came of it is not known. Send another one.')
    }
    return tested
  }

  return {
    async triggerSample(tenant, name) {
      const { reference } = await laneOf(tenant.lane).submit(emitting, {
        kind: 'sample',
        tenant,
        trace: traceOf(ctx),
        name,
      })
      const { records } = await log.list(tenant, { page: 1, limit: samplesShownMax, reference })
      const queued = records.filter(({ nextAttemptAt, attempts }) => nextAttemptAt !== null || attempts > 0).length
      return { event: name, queued, records }
    },
    async test(tenant, subscriptionId) {
      const subscription = await subscriptions.read(tenant, subscriptionId)
      if (subscription === undefined) return undefined
      return turns.run(subscriptionId, () => test(tenant, subscriptionId))
    },
    async forge(tenant, by) {
      const active = (await subscriptions.list(tenant)).filter(({ status }) => status === 'active')
      return Promise.all(active.map((one) => turns.run(one.id, () => forge(options, tenant, one, by))))
    },
  }
}
