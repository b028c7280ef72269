// Writes what attempts led to: many at once, each with its delivery and the health of its subscription in one commit. What is
// given back without one is of the same operation: so a transaction locks its deliveries once, in one order.

import type { Context, Environment } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { formatId } from '#base/ids.ts'
import type { Operation, Writer } from '#base/lane.ts'
import type { DeliveryInHand } from '#events/handover.ts'
import { afterAttempt, type Ended, type Standing } from './after-attempt.ts'
import { healthAfter } from './health.ts'
import { nextDelayMs } from './schedule.ts'
import {
  insertAttempts,
  lockDeliveries,
  readHealth,
  updateDeliveries,
  writeHealth,
  type AttemptRow,
  type HealthChange,
  type Locked,
} from './sql-record.ts'

export type RecordCommand = {
  delivery: DeliveryInHand
  ended: Ended
  /** It was tried before, and perhaps it was committed: it is written only while this lease still stands. */
  again: boolean
}

/** Due at once for a process with room, unless the lease ended and another process holds the delivery. */
type GiveBack = { delivery: DeliveryInHand; ended?: undefined }
type Command = RecordCommand | GiveBack

/** `disabled`: this attempt was the last one for its subscription. */
export type RecordOutcome = { disabled: boolean }

export type Recorder = {
  record(command: RecordCommand): Promise<RecordOutcome>
  /** Gives a delivery back: due at once, for any process with room. */
  giveBack(delivery: DeliveryInHand): Promise<void>
}

export type RecorderOptions = Writer & {
  scheduleOf: (environment: Environment) => readonly number[]
  /** Even between 0 and 1. */
  chance: () => number
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { laneOf } = options
  const recording: Operation<Command, RecordOutcome> = {
    name: 'webhooks.record',
    run: (tx, commands) => recordAttempts(options, tx, commands),
  }
  return {
    record: (command) => laneOf(command.delivery.lane).submitOwn(recording, command),
    async giveBack(delivery) {
      await laneOf(delivery.lane).submitOwn(recording, { delivery })
    },
  }
}

async function recordAttempts(options: RecorderOptions, tx: Tx, commands: Command[]): Promise<RecordOutcome[]> {
  const keys = new Map(commands.map(({ delivery }) => [delivery.id, delivery]))
  const subscriptions = new Map(
    commands
      .filter(isOfAttempt)
      .map(({ delivery: { tenantId, receiver } }) => [
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
  const touched = new Set<Locked>()
  const now = new Date(options.ctx.clock.now())
  for (const command of commands) {
    const row = standings.get(command.delivery.id)
    // It may be so old that it was pruned meanwhile.
    if (row === undefined || isDone(row.standing, command)) continue
    touched.add(row)
    if (isOfAttempt(command)) {
      row.standing = afterAttempt(row.standing, command.ended, delayOf(options, command))
      attempts.push(attemptOf(command, row.standing.attempts))
      written.push(command)
    } else row.standing = { ...row.standing, dueAt: now }
  }
  if (attempts.length > 0) insertAttempts(tx, attempts)
  if (touched.size > 0) updateDeliveries(tx, [...touched])
  const changes = changesOf(health, written)
  if (changes.length > 0) writeHealth(tx, changes)
  const disabled = changes.filter(({ before, after }) => before.status !== after.status)
  tx.afterCommit(() => tell(options.ctx, written, disabled))
  const gone = new Set(disabled.map(({ subscriptionId }) => subscriptionId))
  return commands.map(({ delivery }) => ({ disabled: gone.has(delivery.receiver.subscriptionId) }))
}

function isOfAttempt(command: Command): command is RecordCommand {
  return command.ended !== undefined
}

/** The first try was committed after all, or the lease ended: the process that holds the delivery now writes of it. */
function isDone({ dueAt }: Standing, command: Command): boolean {
  const onlyUnderLease = !isOfAttempt(command) || command.again
  return onlyUnderLease && dueAt?.getTime() !== command.delivery.leaseEnd.getTime()
}

function delayOf({ scheduleOf, chance }: RecorderOptions, { delivery, ended }: RecordCommand) {
  const schedule = scheduleOf(delivery.environment)
  const { retryAfterSeconds } = ended
  return (automaticAttempts: number) =>
    nextDelayMs(schedule, { automaticAttempts, retryAfterSeconds, chance: chance() })
}

function attemptOf({ delivery, ended }: RecordCommand, attempt: number): AttemptRow {
  return {
    tenantId: delivery.tenantId,
    deliveryId: delivery.id,
    attempt,
    trigger: ended.manual ? 'manual' : 'automatic',
    responseCode: ended.responseCode,
    error: ended.error,
    durationMs: ended.durationMs,
    responseBody: ended.responseBody,
    createdAt: ended.startedAt,
  }
}

type KnownHealth = Awaited<ReturnType<typeof readHealth>>[number]

/** The attempts of a batch in the order in which they ended; only what is different at the end is written. */
function changesOf(health: KnownHealth[], commands: RecordCommand[]): HealthChange[] {
  const bySubscription = Map.groupBy(commands, ({ delivery }) => delivery.receiver.subscriptionId)
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
    const webhook = formatId('webhook', subscriptionId)
    log.warn(
      { tenant: tenantId, webhook, because },
      'a webhook was disabled; until its business enables it, it is sent only what its business asks for',
    )
  }
}
