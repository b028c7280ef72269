// Tests of webhook endpoints: sample events, test events and requests with an invalid signature. Samples and test
// events go through the outbox under the tenant's lock, like every other event. Requests with an invalid signature are
// not stored.

import { recordEntry } from '#audit/record.ts'
import { type EventName, testEvent } from '#events/catalogue.ts'
import { type DeliveryToSend, createEventOutbox, type EventOutbox, type NewEvent } from '#events/outbox.ts'
import { withTenants } from '#ledger/post.ts'
import { assert } from '#platform/assert.ts'
import { createTurns } from '#platform/concurrency.ts'
import { type Actor, type Context, type Environment, type Tenant, traceOf } from '#platform/context.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import { Unavailable } from '#platform/errors.ts'
import { encodeBase32, formatId, newUuid, type Uuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { createDeliveryLog, type DeliveryLog, type LogDetail, type LogRecord } from './log.ts'
import { sampleOf } from './samples.ts'
import type { Subscription } from './subscription.ts'
import { createSubscriptions, storeProbeResult, type Subscriptions } from './subscriptions.ts'

type EmitCommand = { tenant: Tenant; trace: string | null } & (
  | { kind: 'sample'; name: EventName }
  /** An event for one subscription only. The caller sends its delivery, whose id is `deliveryId`. */
  | { kind: 'test'; subscriptionId: Uuid; deliveryId: Uuid }
)

function emitOperation(ctx: Context, events: EventOutbox): Operation<EmitCommand, NewEvent> {
  return {
    name: 'webhooks.emit',
    async run(tx, commands) {
      await withTenants(
        tx,
        commands.map(({ tenant }) => tenant.id),
        (tenantIds) => events.expect(tx, tenantIds),
      )
      return commands.map((command) => {
        const event = { ...testEventFor(command, ctx.clock.now()), trace: command.trace }
        events.emit(tx, event)
        return event
      })
    },
  }
}

function testEventFor(command: EmitCommand, atMs: number): NewEvent {
  const about = { tenantId: command.tenant.id, sourceId: newUuid(atMs), atMs, sample: true }
  if (command.kind === 'sample') return { ...about, name: command.name, ...sampleOf(command.name, atMs) }
  const { subscriptionId, deliveryId } = command
  return {
    ...about,
    name: testEvent,
    reference: `TEST-${encodeBase32(newUuid(atMs)).toUpperCase()}`,
    data: { webhookId: formatId('webhook', subscriptionId), message: 'This is a test. Nothing has happened.' },
    only: { subscriptionId, deliveryId },
  }
}

// The probe with an invalid signature: a receiver that accepts it would accept a request from any sender. A clear
// result is stored with the subscription, and every result is recorded in the audit log; the log of deliveries gets
// none.

type ProbeResponse = { responseCode: number | null }

export type SignatureProbeOptions = {
  ctx: Context
  sendInvalidSignature: (delivery: DeliveryToSend) => Promise<ProbeResponse>
}

/**
 * `taken`: the receiver accepted the request. `unclear`: no answer, or an answer that does not show if it checks
 * signatures.
 */
export type SignatureProbe = {
  subscription: Subscription
  verdict: 'refused' | 'taken' | 'unclear'
  responseCode: number | null
}

async function probeSignatures(
  { ctx, sendInvalidSignature }: SignatureProbeOptions,
  tenant: Tenant,
  subscription: Subscription,
  by: Actor,
): Promise<SignatureProbe> {
  const { responseCode } = await sendInvalidSignature(probeDeliveryFor(tenant, subscription, ctx.clock.now()))
  const verdict = verdictOf(responseCode)
  await ctx.db.transaction((tx) => {
    const nowMs = ctx.clock.now()
    if (verdict !== 'unclear')
      storeProbeResult(tx, subscription, tenant, verdict === 'refused' ? new Date(nowMs) : null)
    const subject = formatId('webhook', subscription.id)
    const details = { verdict, responseCode }
    recordEntry(tx, nowMs, { by, act: 'webhook.forgery-sent', tenantId: tenant.id, subject, details })
    return Promise.resolve()
  })
  return { subscription, verdict, responseCode }
}

/** Not found, timeout, gone, too many requests: a receiver may answer these before it checks a signature. */
const saysNothing = new Set([404, 408, 410, 429])

function verdictOf(code: number | null): SignatureProbe['verdict'] {
  if (code !== null && code >= 200 && code < 300) return 'taken'
  return code !== null && code >= 400 && code < 500 && !saysNothing.has(code) ? 'refused' : 'unclear'
}

function probeDeliveryFor({ lane, environment }: Tenant, subscription: Subscription, atMs: number): DeliveryToSend {
  const { id: subscriptionId, tenantId, url, oldSecret, oldSecretUntil } = subscription
  const [id, at] = [newUuid(atMs), new Date(atMs)]
  const said = { webhookId: formatId('webhook', subscriptionId), message: 'This signature is wrong. Refuse it.' }
  return {
    lane,
    tenantId,
    environment,
    id,
    receiver: { subscriptionId, url, secret: Buffer.alloc(0), oldSecret, oldSecretUntil, failing: false },
    event: testEvent,
    reference: formatId('event', id),
    createdAt: at,
    data: JSON.stringify(said),
    trace: null,
    attempts: 0,
    manual: true,
  }
}

export type TriggeredSample = {
  event: EventName
  /** The number of deliveries that are sent. Those of disabled subscriptions are only recorded. */
  queued: number
  records: LogRecord[]
}

export type EndpointTests = {
  /** Writes a sample event for each subscription that names the event. */
  triggerSample(tenant: Tenant, event: EventName): Promise<TriggeredSample>
  /** Sends a test event at once, also to a disabled subscription. Undefined if there is no such subscription. */
  test(tenant: Tenant, subscriptionId: Uuid): Promise<LogDetail | undefined>
  /**
   * Sends a request with an invalid signature to each active subscription, stores a clear result with the subscription
   * and records every result in the audit log.
   */
  probeSignatures(tenant: Tenant, by: Actor): Promise<SignatureProbe[]>
}

type EndpointTestsOptions = Writer & {
  events: EventOutbox
  subscriptions: Subscriptions
  log: DeliveryLog
  /** Undefined if the subscription was deleted meanwhile. */
  sendNow: (tenant: Tenant, deliveryId: Uuid) => Promise<unknown>
  /** The number of connections that `sendNow` may use. */
  testsAtOnceMax: number
} & Pick<SignatureProbeOptions, 'sendInvalidSignature'>

const samplesShownMax = 100
const testsAtOncePerSubscription = 2

export function createEndpointTests(options: EndpointTestsOptions): EndpointTests {
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
    // The subscription was deleted after it was read.
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
    async probeSignatures(tenant, by) {
      const active = (await subscriptions.list(tenant)).filter(({ status }) => status === 'active')
      return Promise.all(active.map((one) => turns.run(one.id, () => probeSignatures(options, tenant, one, by))))
    },
  }
}

// Sample events from the command line. The command only writes the deliveries. A running server sends them, or the next
// server that starts.

type Trigger = {
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

/** A sample is written without a secret; the process that sends it opens the secret of each subscription. */
const noBox: SecretBox = {
  seal: () => neverHere(),
  requireCurrent: () => neverHere(),
  open: () => neverHere(),
  reseal: () => neverHere(),
}

function neverHere(): never {
  assert(false, 'a process that only writes samples seals and sends nothing')
}
