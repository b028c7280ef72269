// Assembles the delivery worker for app.ts and the worker's loops.

import { randomBytes, randomInt } from 'node:crypto'
import { connectionBudget } from '#platform/db/db.ts'
import type { Environment } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import type { Net } from '#platform/http-client/client.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { signingKey, type SigningKey } from '#events/signature.ts'
import { schedulerLimits } from './scheduler.ts'
import { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from './worker.ts'
import { createKeyOpener, attemptMsUsual, createSend, testMsUsual, type SendAttempt } from './attempt.ts'
import { createPrune, type Prune } from './prune.ts'
import { createRecorder } from './record.ts'
import { maxAttemptsOf, scheduleFor } from './retry-schedule.ts'

export type DeliveryService = Pick<DeliveryWorker, 'keepMs' | 'take' | 'work' | 'sendNow' | 'wake' | 'onWake'> & {
  prune: Prune
  /** Makes one attempt outside the schedule, signed with a random secret. It is not recorded. */
  sendInvalidSignature: SendAttempt
  maxAttempts(environment: Environment): number
  /** Gives back waiting deliveries and waits a limited time for attempts in flight. Nothing is sent or recorded later. */
  release(): Promise<void>
}

export type DeliveryServiceOptions = Pick<DeliveryWorkerOptions, 'ctx' | 'limits'> & {
  /** Has the limits `deliveryConnections`. */
  net: Net
  /** For attempts outside the schedule, so that no delivery waits for them. Has the limits `testConnections`. */
  testNet: Net
  box: SecretBox
  /** True if this process leases the deliveries that it writes. */
  leasesNew: boolean
  /** True if only this machine uses staging, so that receivers may run on it too. */
  local: boolean
  /** Replaces the default delays, in seconds. */
  schedule: readonly number[] | undefined
  logDays: number
  attemptMs?: number
  testMs?: number
}

const attemptsPerBatchMax = 256

/**
 * Each origin may use all connections, because the scheduler limits each subscription, and a lower limit would let the
 * subscriptions of one origin delay each other.
 */
export const deliveryConnections = {
  connectionsMax: schedulerLimits.slots,
  connectionsPerOriginMax: schedulerLimits.slots,
}

/** For attempts whose result a caller waits for. */
export const testConnections = { connectionsMax: 64, connectionsPerOriginMax: 64 }

export function createDeliveryService(options: DeliveryServiceOptions): DeliveryService {
  const { ctx, box, leasesNew, local, schedule, logDays, attemptMs = attemptMsUsual, testMs = testMsUsual } = options
  const stop = new AbortController()
  // Separate from the lanes of payments, so that records and payments do not wait for each other.
  const lanes = createLanes(ctx, {
    name: 'webhooks',
    connectionsMax: connectionBudget.records,
    commandsPerBatchMax: attemptsPerBatchMax,
  })
  const scheduleOf = (environment: Environment): readonly number[] => scheduleFor(environment, schedule)
  const recorder = createRecorder({ ctx, scheduleOf, chance, laneOf: lanes.of })
  const attemptOptions = {
    clock: ctx.clock,
    tracing: ctx.tracing,
    keysOf: createKeyOpener(box),
    mayCallLoopback: (environment: Environment) => local && environment === 'staging',
    stop: stop.signal,
  }
  const worker = createDeliveryWorker({
    ctx,
    send: createSend({ ...attemptOptions, net: options.net, attemptMs }),
    sendTest: createSend({ ...attemptOptions, net: options.testNet, attemptMs: testMs }),
    recorder,
    leasesNew,
    attemptMs,
    limits: options.limits,
    interrupt: () => stop.abort(),
  })

  return {
    keepMs: (subscriptionId) => worker.keepMs(subscriptionId),
    take: (deliveries) => worker.take(deliveries),
    work: (lane) => worker.work(lane),
    sendNow: (tenant, deliveryId) => worker.sendNow(tenant, deliveryId),
    wake: () => worker.wake(),
    onWake: (listener) => worker.onWake(listener),
    sendInvalidSignature: createSend({
      ...attemptOptions,
      keysOf: () => [unknownKey()],
      net: options.testNet,
      attemptMs: testMs,
    }),
    maxAttempts: (environment) => maxAttemptsOf(scheduleOf(environment)),
    prune: createPrune(ctx, logDays),
    async release() {
      await worker.release()
      stop.abort()
      await lanes.drain()
    },
  }
}

function unknownKey(): SigningKey {
  return signingKey(`whsec_${randomBytes(32).toString('base64')}`)
}

const chanceSteps = 2 ** 32

function chance(): number {
  return randomInt(chanceSteps) / chanceSteps
}
