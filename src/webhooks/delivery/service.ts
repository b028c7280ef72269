// Assembles the delivery worker for app.ts and the worker's loops.

import { randomBytes, randomInt } from 'node:crypto'
import { connectionBudget } from '#platform/db/db.ts'
import type { Environment } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import type { Net } from '#platform/http-client/client.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { signingKey, type SigningKey } from '#events/signature.ts'
import { admissionLimits } from './scheduler.ts'
import { createEngine, type Engine, type EngineOptions } from './worker.ts'
import { createKeyOpener, attemptMsUsual, createSend, testMsUsual, type Send } from './attempt.ts'
import { createPrune, type Prune } from './prune.ts'
import { createRecorder } from './record.ts'
import { maxAttemptsOf, scheduleFor } from './retry-schedule.ts'

export type Sending = Pick<Engine, 'keepMs' | 'take' | 'work' | 'sendNow' | 'wake' | 'onWake'> & {
  /** Deletes old deliveries of a lane. */
  prune: Prune
  /** Makes one attempt outside the schedule, signed with a random secret. It is not recorded. */
  sendForged: Send
  maxAttempts(environment: Environment): number
  /** Gives back waiting deliveries and waits a limited time for attempts in flight. Nothing is sent or recorded later. */
  release(): Promise<void>
}

export type SendingOptions = Pick<EngineOptions, 'ctx' | 'limits'> & {
  /** Allows `sendingConnections`. */
  net: Net
  /** For attempts outside the schedule, so that no delivery waits for them. Allows `testConnections`. */
  testNet: Net
  box: SecretBox
  /** True in a worker process, which leases new deliveries itself. */
  carries: boolean
  /** True if only this machine uses staging, so a receiver may run on it too. */
  local: boolean
  /** Replaces the default delays, in seconds. */
  schedule: readonly number[] | undefined
  logDays: number
  attemptMs?: number
  testMs?: number
}

const attemptsPerBatchMax = 256

/** The scheduler limits each receiver; receivers that share an origin must not delay each other. */
export const sendingConnections = {
  connectionsMax: admissionLimits.slots,
  connectionsPerOriginMax: admissionLimits.slots,
}

/** For attempts whose result a caller waits for. */
export const testConnections = { connectionsMax: 64, connectionsPerOriginMax: 64 }

export function createSending(options: SendingOptions): Sending {
  const { ctx, box, carries, local, schedule, logDays, attemptMs = attemptMsUsual, testMs = testMsUsual } = options
  const stop = new AbortController()
  // Separate from the lanes of payments, so that records and payments do not wait for each other.
  const lanes = createLanes(ctx, {
    name: 'webhooks',
    connectionsMax: connectionBudget.records,
    commandsPerBatchMax: attemptsPerBatchMax,
  })
  const scheduleOf = (environment: Environment): readonly number[] => scheduleFor(environment, schedule)
  const recorder = createRecorder({ ctx, scheduleOf, chance, laneOf: lanes.of })
  const sending = {
    clock: ctx.clock,
    tracing: ctx.tracing,
    keysOf: createKeyOpener(box),
    mayCallLoopback: (environment: Environment) => local && environment === 'staging',
    stop: stop.signal,
  }
  const engine = createEngine({
    ctx,
    send: createSend({ ...sending, net: options.net, attemptMs }),
    sendTest: createSend({ ...sending, net: options.testNet, attemptMs: testMs }),
    recorder,
    carries,
    attemptMs,
    limits: options.limits,
    interrupt: () => stop.abort(),
  })

  return {
    keepMs: (subscriptionId) => engine.keepMs(subscriptionId),
    take: (deliveries) => engine.take(deliveries),
    work: (lane) => engine.work(lane),
    sendNow: (tenant, deliveryId) => engine.sendNow(tenant, deliveryId),
    wake: () => engine.wake(),
    onWake: (listener) => engine.onWake(listener),
    sendForged: createSend({ ...sending, keysOf: () => [unknownKey()], net: options.testNet, attemptMs: testMs }),
    maxAttempts: (environment) => maxAttemptsOf(scheduleOf(environment)),
    prune: createPrune(ctx, logDays),
    async release() {
      await engine.release()
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
