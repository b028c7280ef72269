// Records attempts: a batch writes each attempt, its delivery and the health of its subscription in one commit. Ending
// the lease of a delivery that was not sent is part of the same operation, so that a transaction locks its deliveries
// once, in one order. The batches go through lanes of their own (service.ts), which lock no tenant and no payment.

import type { Attempt, DeliveryToSend, LeasedDelivery } from '#events/outbox.ts'
import type { Context, Environment } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type Tx } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import { lookUp } from '#platform/db/statement.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import {
  afterAttempt,
  type DeliveryState,
  type EndedAttempt,
  type Health,
  healthAfter,
  isLeasedUntil,
} from './after-attempt.ts'
import type { SubscriptionKey } from './claims.ts'
import { nextDelayMs } from './retry-schedule.ts'

type DeliveryKey = { tenantId: Uuid; id: Uuid }
type LockedDelivery = DeliveryKey & { state: DeliveryState }

const stateColumns = `d.tenant_id as "tenantId", d.id, d.status, d.attempts, d.automatic_attempts as "automaticAttempts",
  d.response_code as "responseCode", d.last_error as "lastError", d.last_attempt_at as "lastAttemptAt",
  d.next_attempt_at as "nextAttemptAt", d.retry_requested as "retryRequested", d.delivered_at as "deliveredAt",
  d.updated_at as "updatedAt", d.due_at as "dueAt"`

// Locks in one order, so that two transactions cannot deadlock.
const lockRows = statement(
  'webhooks.lock_for_record',
  lookUp({
    table: 'webhook_delivery',
    row: 'd',
    columns: stateColumns,
    key: { tenant_id: 'uuid', id: 'uuid' },
    lock: true,
  }),
)

export async function lockDeliveries(tx: Tx, keys: DeliveryKey[]): Promise<LockedDelivery[]> {
  const ordered = keys.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  const rows = await tx.query<DeliveryKey & DeliveryState>(lockRows, [tx.lane, ...arraysOf(ordered, 'tenantId', 'id')])
  return rows.map((row) => ({ tenantId: row.tenantId, id: row.id, state: row }))
}

// Updates by ctid, which is safe because the rows are locked.
const updateRows = statement(
  'webhooks.record_deliveries',
  `with v as materialized (
     select d.ctid as row_place, k.*
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::integer[], $7::smallint[], $8::text[],
         $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[])
         as k (tenant_id, id, status, attempts, automatic_attempts, response_code, last_error, last_attempt_at,
           next_attempt_at, retry_requested, delivered_at, updated_at, due_at)
       cross join lateral (
         select ctid from webhook_delivery where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as d)
   update webhook_delivery d
      set status = v.status, attempts = v.attempts, automatic_attempts = v.automatic_attempts,
          response_code = v.response_code, last_error = v.last_error, last_attempt_at = v.last_attempt_at,
          next_attempt_at = v.next_attempt_at, retry_requested = v.retry_requested, delivered_at = v.delivered_at,
          updated_at = v.updated_at, due_at = v.due_at
     from v where d.lane is not distinct from $1 and d.ctid = v.row_place`,
)

function updateDeliveries(tx: Tx, rows: LockedDelivery[]): void {
  const states = rows.map(({ state }) => state)
  tx.send(updateRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'id'),
    ...arraysOf(states, 'status', 'attempts', 'automaticAttempts', 'responseCode', 'lastError', 'lastAttemptAt'),
    ...arraysOf(states, 'nextAttemptAt', 'retryRequested', 'deliveredAt', 'updatedAt', 'dueAt'),
  ])
}

type AttemptRow = Attempt & { tenantId: Uuid }

const insertRows = statement(
  'webhooks.insert_attempts',
  `insert into webhook_attempt
     (lane, tenant_id, delivery_id, attempt, trigger, response_code, error, duration_ms, response_body, created_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::text[], $6::smallint[], $7::text[],
     $8::integer[], $9::text[], $10::timestamptz[]) as v`,
)

function insertAttempts(tx: Tx, rows: AttemptRow[]): void {
  tx.send(insertRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'deliveryId', 'attempt', 'trigger', 'responseCode'),
    ...arraysOf(rows, 'error', 'durationMs', 'responseBody', 'createdAt'),
  ])
}

const healthOf = statement(
  'webhooks.health',
  `select k.tenant_id as "tenantId", k.id as "subscriptionId", s.status, s.failing_since as "failingSince",
          s.disabled_because as "disabledBecause"
     from unnest($2::uuid[], $3::uuid[]) as k (tenant_id, id)
     cross join lateral (
       select status, failing_since, disabled_because from webhook_subscription
        where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as s`,
)

/** Takes no lock, because there is rarely a change to write, and the write checks the status that was read. */
function readHealth(tx: Tx, keys: SubscriptionKey[]): Promise<(SubscriptionKey & Health)[]> {
  return tx.query(healthOf, [tx.lane, ...arraysOf(keys, 'tenantId', 'subscriptionId')])
}

// Locks in its own statement, so that `writeHealthRows` sees what the transactions that held the locks have written.
const lockHealthRows = statement(
  'webhooks.lock_health',
  lookUp({
    table: 'webhook_subscription',
    row: 's',
    columns: 's.id',
    key: { tenant_id: 'uuid', id: 'uuid' },
    lock: true,
  }),
)

// Writes only if the subscription still has the status that was read. Its business may have enabled or deleted it since.
const writeHealthRows = statement(
  'webhooks.write_health',
  `with v as materialized (
     select s.ctid as row_place, k.*
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
         as k (tenant_id, id, status_before, status, disabled_because, failing_since, at)
       cross join lateral (
         select ctid, status from webhook_subscription
          where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as s
      where s.status = k.status_before)
   update webhook_subscription s
      set status = v.status, disabled_because = v.disabled_because, failing_since = v.failing_since,
          updated_at = case when v.status = v.status_before then s.updated_at else greatest(s.updated_at, v.at) end
     from v where s.lane is not distinct from $1 and s.ctid = v.row_place
   returning s.id`,
)

type HealthChange = SubscriptionKey & { before: Health; after: Health; at: Date }

/** Locks in the same order as `lockSubscriptions`. Resolves with the subscriptions that it has changed. */
export async function writeHealth(tx: Tx, changes: HealthChange[]): Promise<Set<Uuid>> {
  const keyOf = ({ tenantId, subscriptionId }: HealthChange): string => `${tenantId} ${subscriptionId}`
  const ordered = changes.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  const keys = arraysOf(ordered, 'tenantId', 'subscriptionId')
  tx.send(lockHealthRows, [tx.lane, ...keys])
  const written = await tx.query<{ id: Uuid }>(writeHealthRows, [
    tx.lane,
    ...keys,
    arrayOf(ordered, ({ before }) => before.status),
    arrayOf(ordered, ({ after }) => after.status),
    arrayOf(ordered, ({ after }) => after.disabledBecause),
    arrayOf(ordered, ({ after }) => after.failingSince),
    arrayOf(ordered, ({ at }) => at),
  ])
  return new Set(written.map(({ id }) => id))
}

export type RecordCommand = {
  delivery: DeliveryToSend
  ended: EndedAttempt
  /**
   * True if an earlier try failed and may have committed. Then the attempt is written only while the row has this
   * lease.
   */
  again: boolean
}

/** Makes the delivery due at once for any process, unless the row no longer has this lease. */
type GiveBack = { delivery: LeasedDelivery; ended?: undefined }
type Command = RecordCommand | GiveBack

/** `disabled`: the batch with this attempt disabled its subscription. */
export type RecordOutcome = { disabled: boolean }

export type Recorder = {
  record(command: RecordCommand): Promise<RecordOutcome>
  giveBack(delivery: LeasedDelivery): Promise<void>
}

type RecorderOptions = Writer & {
  scheduleOf: (environment: Environment) => readonly number[]
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
  const states = new Map(locked.map((row) => [row.id, row]))
  const attempts: AttemptRow[] = []
  const written: RecordCommand[] = []
  const touched = new Set<LockedDelivery>()
  const now = new Date(options.ctx.clock.now())
  for (const command of commands) {
    const row = states.get(command.delivery.id)
    // The delivery may have been pruned since.
    if (row === undefined || isDone(row.state, command)) continue
    touched.add(row)
    if (isOfAttempt(command)) {
      row.state = afterAttempt(row.state, command.ended, delayOf(options, command))
      attempts.push(attemptOf(command, row.state.attempts))
      written.push(command)
    } else row.state = { ...row.state, dueAt: now }
  }
  if (attempts.length > 0) insertAttempts(tx, attempts)
  if (touched.size > 0) updateDeliveries(tx, [...touched])
  const changes = changesOf(health, written)
  const changed = changes.length === 0 ? new Set<Uuid>() : await writeHealth(tx, changes)
  const disabled = changes.filter(
    ({ subscriptionId, before, after }) => before.status !== after.status && changed.has(subscriptionId),
  )
  tx.afterCommit(() => reportRecorded(options.ctx, written, disabled))
  const gone = new Set(disabled.map(({ subscriptionId }) => subscriptionId))
  return commands.map(({ delivery }) => ({ disabled: gone.has(delivery.receiver.subscriptionId) }))
}

function isOfAttempt(command: Command): command is RecordCommand {
  return command.ended !== undefined
}

/** True if there is nothing to write, because an earlier try committed or another process has the delivery now. */
function isDone({ dueAt }: DeliveryState, command: Command): boolean {
  if (!isOfAttempt(command)) return !isLeasedUntil(command.delivery.leaseEnd, dueAt)
  return command.again && !isLeasedUntil(command.ended.leaseEnd, dueAt)
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

/** Applies the attempts of a batch in the order in which they ended and returns only subscriptions that changed. */
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

function reportRecorded({ log, metrics }: Context, written: RecordCommand[], disabled: HealthChange[]): void {
  for (const { ended } of written) metrics.webhookAttempts.inc({ outcome: ended.outcome })
  for (const { tenantId, subscriptionId, after } of disabled) {
    const because = after.disabledBecause ?? 'FAILING'
    metrics.webhooksDisabled.inc({ because })
    const webhook = formatId('webhook', subscriptionId)
    log.warn(
      { tenant: tenantId, webhook, because },
      'disabled a webhook; until its business enables it, only requested retries are sent',
    )
  }
}
