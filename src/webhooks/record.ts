// Writes what attempts led to: many at once, each with its delivery and the health of its subscription in one commit.

import type { Context, Environment } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Lane, Operation } from '#base/lane.ts'
import type { Parcel } from '#events/courier.ts'
import { afterAttempt, healthAfter, type Ended, type Standing } from './after-attempt.ts'
import { nextDelayMs } from './schedule.ts'
import {
  giveBackDeliveries,
  insertAttempts,
  lockDeliveries,
  readHealth,
  updateDeliveries,
  writeHealth,
  type AttemptRow,
  type Held,
  type HealthChange,
} from './sql-record.ts'

export type RecordCommand = {
  parcel: Parcel
  ended: Ended
  /** It was tried before, and perhaps it was committed: only whoever still holds the lease may write. */
  again: boolean
}

/** `disabled`: this attempt was the last one for its subscription. */
export type Recorded = { disabled: boolean }

export type Recorder = {
  record(command: RecordCommand): Promise<Recorded>
  /** Gives a delivery back: due at once, for anybody. */
  giveBack(parcel: Parcel): Promise<void>
}

export type RecorderOptions = {
  ctx: Context
  laneOf: (lane: number) => Lane
  scheduleOf: (environment: Environment) => readonly number[]
  /** Even between 0 and 1. */
  chance: () => number
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { ctx, laneOf } = options
  const recording: Operation<RecordCommand, Recorded> = {
    name: 'webhooks.record',
    patient: true,
    run: (tx, commands) => recordAttempts(options, tx, commands),
  }
  const givingBack: Operation<Parcel, void> = {
    name: 'webhooks.give_back',
    patient: true,
    run(tx, parcels) {
      const rows: Held[] = parcels.map(({ tenantId, id, leaseEnd }) => ({ tenantId, id, leaseEnd }))
      giveBackDeliveries(tx, rows, new Date(ctx.clock.now()))
      return Promise.resolve(parcels.map(() => undefined))
    },
  }
  return {
    record: (command) => laneOf(command.parcel.lane).submit(recording, command),
    giveBack: (parcel) => laneOf(parcel.lane).submit(givingBack, parcel),
  }
}

async function recordAttempts(options: RecorderOptions, tx: Tx, commands: RecordCommand[]): Promise<Recorded[]> {
  const keys = new Map(commands.map(({ parcel }) => [parcel.id, parcel]))
  const subscriptions = new Map(
    commands.map(({ parcel: { tenantId, receiver } }) => [
      receiver.subscriptionId,
      { tenantId, subscriptionId: receiver.subscriptionId },
    ]),
  )
  const [locked, health] = await Promise.all([
    lockDeliveries(tx, [...keys.values()]),
    readHealth(tx, [...subscriptions.values()]),
  ])
  const standings = new Map(locked.map((row) => [row.id, row]))
  const attempts: AttemptRow[] = []
  const written: RecordCommand[] = []
  for (const command of commands) {
    const row = standings.get(command.parcel.id)
    // It may be so old that it was pruned meanwhile.
    if (row === undefined || isDone(row.standing, command)) continue
    row.standing = afterAttempt(row.standing, command.ended, delayOf(options, command))
    attempts.push(attemptOf(command, row.standing.attempts))
    written.push(command)
  }
  const touched = new Set(written.map(({ parcel }) => parcel.id))
  if (attempts.length > 0) {
    insertAttempts(tx, attempts)
    updateDeliveries(
      tx,
      locked.filter(({ id }) => touched.has(id)),
    )
  }
  const changes = changesOf(health, written)
  if (changes.length > 0) writeHealth(tx, changes)
  const disabled = changes.filter(({ before, after }) => before.status !== after.status)
  tx.afterCommit(() => tell(options.ctx, written, disabled))
  const gone = new Set(disabled.map(({ subscriptionId }) => subscriptionId))
  return commands.map(({ parcel }) => ({ disabled: gone.has(parcel.receiver.subscriptionId) }))
}

/** The first try was committed after all, or the lease ended: whoever holds the delivery now writes of it. */
function isDone({ dueAt }: Standing, { again, ended }: RecordCommand): boolean {
  return again && dueAt?.getTime() !== ended.leaseEnd.getTime()
}

function delayOf({ scheduleOf, chance }: RecorderOptions, { parcel, ended }: RecordCommand) {
  const schedule = scheduleOf(parcel.environment)
  const { retryAfterSeconds } = ended
  return (automaticAttempts: number) =>
    nextDelayMs(schedule, { automaticAttempts, retryAfterSeconds, chance: chance() })
}

function attemptOf({ parcel, ended }: RecordCommand, attempt: number): AttemptRow {
  return {
    tenantId: parcel.tenantId,
    deliveryId: parcel.id,
    attempt,
    trigger: ended.manual ? 'manual' : 'automatic',
    responseCode: ended.responseCode,
    error: ended.error,
    durationMs: ended.durationMs,
    responseBody: ended.responseBody,
    createdAt: ended.startedAt,
  }
}

type Read = Awaited<ReturnType<typeof readHealth>>[number]

/** The attempts of a batch in the order in which they ended; only what is different at the end is written. */
function changesOf(health: Read[], commands: RecordCommand[]): HealthChange[] {
  const bySubscription = Map.groupBy(commands, ({ parcel }) => parcel.receiver.subscriptionId)
  return health.flatMap(({ tenantId, subscriptionId, ...before }) => {
    const ended = (bySubscription.get(subscriptionId) ?? []).map((command) => command.ended)
    const inOrder = ended.toSorted((left, right) => left.endedAt.getTime() - right.endedAt.getTime())
    const after = inOrder.reduce(healthAfter, before)
    const same = after.status === before.status && after.failingSince?.getTime() === before.failingSince?.getTime()
    const at = inOrder.at(-1)?.endedAt
    return same || at === undefined ? [] : [{ tenantId, subscriptionId, before, after, at }]
  })
}

function tell({ log, metrics }: Context, written: RecordCommand[], disabled: HealthChange[]): void {
  for (const { ended } of written) metrics.webhookAttempts.inc({ outcome: ended.outcome })
  for (const { tenantId, subscriptionId, after } of disabled) {
    const because = after.disabledBecause ?? 'FAILING'
    metrics.webhooksDisabled.inc({ because })
    log.warn({ tenant: tenantId, webhook: subscriptionId, because }, 'a webhook was disabled; its business must act')
  }
}
