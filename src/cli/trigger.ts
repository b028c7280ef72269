// `manilla trigger EVENT` on the database: writes a sample event, waits a few seconds for a server to send it, and
// prints the answers of the receivers.

import type { Context, Tenant } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createLanes } from '#platform/db/lane.ts'
import type { Config } from '#config.ts'
import { pollUntil } from '#postgres/embedded/server-process.ts'
import { maxAttemptsOf, scheduleFor } from '#webhooks/delivery/retry-schedule.ts'
import type { LogRecord, DeliveryLog } from '#webhooks/log.ts'
import { isEventName, subscribableEvents } from '#webhooks/subscription.ts'
import { createTrigger, type TriggeredSample } from '#webhooks/endpoint-test.ts'
import { deliveryData } from '#webhooks/wire.ts'
import { withContext } from './database.ts'
import { databaseMayRun } from './listen.ts'
import { UsageError, type Output } from './output.ts'
import { readConfig } from './settings.ts'
import { businessIdOf, chooseTenant, type TenantOptions } from './arguments.ts'

/** A server claims the sample within a second, and most receivers answer within the rest. */
const answersLimitMs = 5_000
const pollEveryMs = 100

export async function triggerCommand(output: Output, event: string, options: TenantOptions): Promise<void> {
  if (!isEventName(event)) {
    throw new UsageError(`There is no event ${JSON.stringify(event)}. Use one of: ${subscribableEvents.join(', ')}.`)
  }
  businessIdOf(options)
  const config = readConfig()
  // Checked before the database is opened, because opening may start the embedded one.
  const sentSoon = await databaseMayRun(config)
  const { tenant, records, maxAttempts } = await withContext(config, output.step, async (ctx) => {
    const named = await chooseTenant(ctx, options)
    if (named === undefined) {
      throw new OperatorError('There is no business yet. Create one: npx manilla businesses create --name NAME')
    }
    return { tenant: named.tenant, ...(await trigger(ctx, named.tenant, { event, sentSoon, config })) }
  })
  if (records.length === 0) throw new OperatorError(noSubscription(event))
  const deliveries = records.map((record) => deliveryData(record, tenant.environment, maxAttempts))
  const told = records.length === 1 ? '1 subscription' : `${records.length} subscriptions`
  const lines = records.map((record) => lineOf(record, sentSoon))
  output.result({ event, deliveries }, [`A sample of ${event} for ${told}:`, ...lines].join('\n'))
}

async function trigger(
  ctx: Context,
  tenant: Tenant,
  { event, sentSoon, config }: { event: TriggeredSample['event']; sentSoon: boolean; config: Config },
) {
  const lanes = createLanes(ctx)
  const { sample, log } = createTrigger({
    ctx,
    laneOf: lanes.of,
    maxAttempts: (environment) => maxAttemptsOf(scheduleFor(environment, config.webhookRetrySchedule)),
  })
  try {
    const { records } = await sample(tenant, event)
    const answered = sentSoon ? await answersTo(log, tenant, records) : records
    return { records: answered, maxAttempts: log.maxAttempts(tenant.environment) }
  } finally {
    await lanes.drain()
  }
}

async function answersTo(log: DeliveryLog, tenant: Tenant, records: LogRecord[]): Promise<LogRecord[]> {
  let known = records
  const readOpen = async (): Promise<true | undefined> => {
    known = await Promise.all(
      known.map(async (one) => (isOpen(one) ? ((await log.read(tenant, one.id))?.record ?? one) : one)),
    )
    return known.some(isOpen) ? undefined : true
  }
  await pollUntil(readOpen, { limitMs: answersLimitMs, everyMs: pollEveryMs })
  return known
}

const isOpen = ({ attempts, nextAttemptAt }: LogRecord): boolean => attempts === 0 && nextAttemptAt !== null

function lineOf(record: LogRecord, sentSoon: boolean): string {
  return `${formatId('webhook', record.subscriptionId)} ${record.url} → ${answerOf(record, sentSoon)}`
}

function answerOf(record: LogRecord, sentSoon: boolean): string {
  const [attempt] = record.deliveryAttempts
  if (attempt !== undefined) {
    const what = attempt.responseCode === null ? 'failed' : String(attempt.responseCode)
    const then = record.nextAttemptAt === null ? '' : ` The next attempt is at ${record.nextAttemptAt.toISOString()}`
    return `${what} in ${attempt.durationMs} ms${attempt.error === null ? '' : `: ${attempt.error}`}${then}`
  }
  if (!isOpen(record)) return 'not sent, because it is disabled'
  if (!sentSoon) return 'sent when the server starts (npm start)'
  return `no response yet; see GET /v1/webhooks/events/${formatId('event', record.id)}`
}

function noSubscription(event: string): string {
  return (
    `No subscription includes ${event}, so only a running manilla listen receives it. Create one with POST /v1/webhooks and ` +
    `{"url":"https://…","events":["${event}"]}; see docs/webhooks.md.`
  )
}
