// The sending of deliveries, put together: what app.ts and the loops use.

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
  /** One attempt beside the schedule, signed with a secret that nobody has, and recorded nowhere. */
  sendForged: Send
  maxAttempts(environment: Environment): number
  /** Gives back what is in hand and waits a while for what is under way; then nothing is sent or recorded any more. */
  release(): Promise<void>
}

export type SendingOptions = Pick<EngineOptions, 'ctx' | 'limits'> & {
  /** With room for `sendingConnections`. */
  net: Net
  /** For what is sent beside the schedule, with room for `testConnections`: no delivery waits behind it. */
  testNet: Net
  box: SecretBox
  /** This process works: it keeps new deliveries in hand. */
  carries: boolean
  /** Staging is for this machine alone, so that a receiver may be on it too. */
  local: boolean
  /** In place of the usual waits, in seconds. */
  schedule: readonly number[] | undefined
  logDays: number
  attemptMs?: number
  testMs?: number
}

const attemptsPerBatchMax = 256

/** The admission decides how much one receiver may hold; several may share an origin without holding up each other. */
export const sendingConnections = {
  connectionsMax: admissionLimits.slots,
  connectionsPerOriginMax: admissionLimits.slots,
}

/** For attempts that somebody waits for. */
export const testConnections = { connectionsMax: 64, connectionsPerOriginMax: 64 }

export function createSending(options: SendingOptions): Sending {
  const { ctx, box, carries, local, schedule, logDays, attemptMs = attemptMsUsual, testMs = testMsUsual } = options
  const stop = new AbortController()
  // Beside the lanes of payments: recording waits for no business's balance, and no payment for a record.
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
