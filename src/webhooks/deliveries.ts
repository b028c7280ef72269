// The sending side of the webhooks room, put together: what app.ts and the loops use.

import { randomInt } from 'node:crypto'
import { connectionBudget } from '#base/connections.ts'
import type { Context, Environment } from '#base/context.ts'
import { createLanes } from '#base/lane.ts'
import { createNet } from '#base/net.ts'
import type { SecretBox } from '#base/secret.ts'
import { admissionLimits, type AdmissionLimits } from './admission.ts'
import { createEngine, type Engine } from './engine.ts'
import { createKeyOpener } from './keys.ts'
import { createPruner, type Pruner } from './prune.ts'
import { createRecorder } from './record.ts'
import { maxAttemptsOf, scheduleFor } from './schedule.ts'
import { attemptMsUsual, createSender } from './send.ts'

export type Deliveries = Pick<Engine, 'keepMs' | 'take' | 'work' | 'sendNow' | 'wake' | 'onWake'> &
  Pruner & {
    maxAttempts(environment: Environment): number
    /** Gives back what is in hand and waits a while for what is under way; then nothing is sent or recorded any more. */
    release(): Promise<void>
  }

export type DeliveriesOptions = {
  ctx: Context
  box: SecretBox
  /** This process works: it keeps new deliveries in hand. */
  carries: boolean
  /** The server listens on loopback, so that on staging a receiver may be on this machine too. */
  local: boolean
  /** In place of the usual waits, in seconds. */
  schedule: readonly number[] | undefined
  logDays: number
  attemptMs?: number
  limits?: Partial<AdmissionLimits>
}

/** For attempts beside the schedule. */
const sparesMax = 64
const attemptsPerBatchMax = 256

export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { ctx, box, carries, local, schedule, logDays, attemptMs = attemptMsUsual } = options
  const connections = admissionLimits.slots
  // The admission decides how much one receiver may hold; several may share an origin without holding up each other.
  const shares = { connectionsMax: connections + sparesMax, connectionsPerOriginMax: connections }
  const net = createNet({ ...shares, clock: ctx.clock })
  const stop = new AbortController()
  // Beside the lanes of payments: recording waits for no business's balance, and no payment for a record.
  const lanes = createLanes(ctx, {
    name: 'webhooks',
    connectionsMax: connectionBudget.records,
    commandsPerBatchMax: attemptsPerBatchMax,
  })
  const scheduleOf = (environment: Environment): readonly number[] => scheduleFor(environment, schedule)
  const recorder = createRecorder({ ctx, scheduleOf, chance, laneOf: lanes.of })
  const send = createSender({
    net,
    clock: ctx.clock,
    keysOf: createKeyOpener(box),
    mayCallLoopback: (environment) => local && environment === 'staging',
    attemptMs,
    stop: stop.signal,
  })
  const engine = createEngine({
    ctx,
    send,
    recorder,
    carries,
    attemptMs,
    limits: options.limits,
    interrupt: () => stop.abort(),
  })

  return {
    keepMs: (subscriptionId) => engine.keepMs(subscriptionId),
    take: (parcels) => engine.take(parcels),
    work: (lane) => engine.work(lane),
    sendNow: (tenant, deliveryId) => engine.sendNow(tenant, deliveryId),
    wake: () => engine.wake(),
    onWake: (listener) => engine.onWake(listener),
    maxAttempts: (environment) => maxAttemptsOf(scheduleOf(environment)),
    ...createPruner(ctx, logDays),
    async release() {
      await engine.release()
      stop.abort()
      await net.close()
      await lanes.drain()
    },
  }
}

const chanceSteps = 2 ** 32

function chance(): number {
  return randomInt(chanceSteps) / chanceSteps
}
