// The Prometheus metrics. Every metric of the service is declared here. Each App has its own registry, so that two Apps
// in one process (tests) do not count for each other. api/server/public-pages.ts decides who may read them.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { finishesWithin } from '#platform/concurrency.ts'
import type { Context } from '#platform/context.ts'

export type Metrics = ReturnType<typeof createMetrics>

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export function createMetrics(options: { process: boolean } = { process: false }) {
  const registry = new Registry()
  if (options.process) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const hooks: (() => Promise<void>)[] = []
  return {
    registry,
    /** Registers a hook that updates gauges before each scrape. A scrape fails if a hook rejects. */
    beforeScrape: (hook: () => Promise<void>) => void hooks.push(hook),
    async text(): Promise<string> {
      await Promise.all(hooks.map((hook) => hook()))
      return registry.metrics()
    },
    buildInfo: new Gauge({
      name: 'manilla_build_info',
      help: 'Always 1; the label is the version of the process.',
      labelNames: ['version'],
      registers,
    }),
    ...httpMetrics(registers),
    ...databaseMetrics(registers),
    ...paymentMetrics(registers),
    ...moneyMetrics(registers),
    ...reconcileMetrics(registers),
    ...noticeMetrics(registers),
    ...webhookMetrics(registers),
    ...backlogMetrics(registers),
    ...mailMetrics(registers),
    ...archiveMetrics(registers),
  }
}

/** Starts the counter at 0, because `increase()` misses the event with which a counter appears. */
function fromZero<Label extends string>(
  counter: Counter<Label>,
  label: Label,
  values: readonly string[],
): Counter<Label> {
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0)
  return counter
}

function httpMetrics(registers: Registry[]) {
  return {
    apiRequestsLeftOut: fromZero(
      new Counter({
        name: 'manilla_api_requests_left_out_total',
        help: 'Requests left out of the request log of their business, by reason: rate, full or database.',
        labelNames: ['because'],
        registers,
      }),
      'because',
      ['rate', 'full', 'database'],
    ),
    httpRequests: new Counter({
      name: 'manilla_http_requests_total',
      help: 'Answered requests by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    httpSeconds: new Histogram({
      name: 'manilla_http_request_seconds',
      help: 'Time from the headers of a request to the end of its response, by route.',
      labelNames: ['route'],
      buckets: durationBuckets,
      registers,
    }),
    spansDropped: new Counter({
      name: 'manilla_trace_spans_dropped_total',
      help: 'Spans that the collector did not accept in time.',
      registers,
    }),
    logLinesLost: new Counter({
      name: 'manilla_log_lines_lost_total',
      help: 'Log lines that were not read in time, or that could not be written.',
      registers,
    }),
    httpConnectionsClosed: fromZero(
      new Counter({
        name: 'manilla_http_connections_closed_total',
        help: 'Connections closed because a network or the process had too many, or because all others were busy.',
        labelNames: ['because'],
        registers,
      }),
      'because',
      ['network', 'process', 'busy'],
    ),
  }
}

function databaseMetrics(registers: Registry[]) {
  return {
    laneBatchSize: new Histogram({
      name: 'manilla_lane_batch_commands',
      help: 'Commands in one transaction of a lane.',
      labelNames: ['lane'],
      buckets: sizeBuckets,
      registers,
    }),
    laneSeconds: new Histogram({
      name: 'manilla_lane_batch_seconds',
      help: 'Duration of one transaction of a lane.',
      labelNames: ['lane'],
      buckets: durationBuckets,
      registers,
    }),
    laneWaiting: new Gauge({
      name: 'manilla_lane_waiting_commands',
      help: 'Commands waiting for the next batch of a lane.',
      labelNames: ['lane'],
      registers,
    }),
    laneSplits: new Counter({
      name: 'manilla_lane_splits_total',
      help: 'Batches that failed and were split to find the failing command.',
      labelNames: ['lane'],
      registers,
    }),
    loaderBatchSize: new Histogram({
      name: 'manilla_loader_batch_keys',
      help: 'Keys answered by one query of a loader.',
      labelNames: ['loader'],
      buckets: sizeBuckets,
      registers,
    }),
    secretKeyUnlisted: new Gauge({
      name: 'manilla_secret_key_unlisted',
      help: 'Whether this process stores no secrets, because the database uses another SECRET_KEY: 1 if so.',
      registers,
    }),
    clockOffset: new Gauge({
      name: 'manilla_clock_offset_seconds',
      help: 'How far the clock of this machine is ahead of the database. The service follows the database.',
      registers,
    }),
    databaseClockSteps: new Counter({
      name: 'manilla_database_clock_steps_total',
      help: 'How often the clock of the database was set by two seconds or more. Alert on any increase.',
      registers,
    }),
    databaseReconnects: new Counter({
      name: 'manilla_database_reconnects_total',
      help: 'Connections to PostgreSQL that were lost and opened again.',
      labelNames: ['connection'],
      registers,
    }),
  }
}

function paymentMetrics(registers: Registry[]) {
  return {
    paymentsStuck: new Counter({
      name: 'manilla_payments_stuck_total',
      help: 'Payments without an outcome for a day, each counted once a minute by each worker. Alert on any increase.',
      registers,
    }),
    paymentsWithoutRail: new Counter({
      name: 'manilla_payments_without_rail_total',
      help: 'Payments unfinished for more than five minutes whose rail, bank or operator is not configured here, or whose rails were all tried, each counted once a minute by each worker. Alert on any increase.',
      registers,
    }),
    paymentsMoved: new Counter({
      name: 'manilla_payments_moved_total',
      help: 'Accepted payouts that failed over to another rail, by reason.',
      labelNames: ['why'],
      registers,
    }),
    railCallsLate: new Counter({
      name: 'manilla_rail_calls_late_total',
      help: 'Calls of a rail that exceeded their time limit, by rail and call.',
      labelNames: ['rail', 'call'],
      registers,
    }),
    railCallSeconds: new Histogram({
      name: 'manilla_rail_call_seconds',
      help: 'Duration of the calls of a configured rail, by rail, call and kind of answer.',
      labelNames: ['rail', 'call', 'outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    railBreakerState: new Gauge({
      name: 'manilla_rail_breaker_state',
      help: 'The circuit breaker of a port of a rail: 0 closed, 1 half-open, 2 open, so that new payments wait.',
      labelNames: ['rail', 'port'],
      registers,
    }),
    paymentsContradicted: new Counter({
      name: 'manilla_payments_contradicted_total',
      help: 'Answers of a rail that contradict the final status of a payment. Alert on any increase.',
      registers,
    }),
  }
}

function moneyMetrics(registers: Registry[]) {
  return {
    exceptionsOpen: new Gauge({
      name: 'manilla_exceptions_open',
      help: 'Open items of the review queue, by kind. Alert if there are any. See: manilla exceptions list.',
      labelNames: ['kind', 'environment'],
      registers,
    }),
  }
}

function noticeMetrics(registers: Registry[]) {
  return {
    railNotices: new Counter({
      name: 'manilla_rail_notices_total',
      help: 'Notices of rails, by rail and outcome. Look into any increase of stuck.',
      labelNames: ['rail', 'outcome'],
      registers,
    }),
    railNoticeAge: new Gauge({
      name: 'manilla_rail_notice_age_seconds',
      help: 'Age of the oldest unprocessed notice of a rail. 0: there is none.',
      registers,
    }),
  }
}

function reconcileMetrics(registers: Registry[]) {
  return {
    breaksOpen: new Gauge({
      name: 'manilla_rail_breaks_open',
      help: 'Open mismatches between the lists of a provider and our records, by kind. Alert if there are any. See: manilla rails breaks.',
      labelNames: ['rail', 'kind'],
      registers,
    }),
    railProvedUntil: new Gauge({
      name: 'manilla_rail_proved_until_seconds',
      help: 'The end of the period for which all lists of a provider were reconciled, in Unix seconds.',
      labelNames: ['rail'],
      registers,
    }),
    railFloat: new Gauge({
      name: 'manilla_rail_float_minor_units',
      help: 'The balance at a provider at the last query, in the minor unit of its currency. country: set if each country has a balance.',
      labelNames: ['rail', 'currency', 'country'],
      registers,
    }),
    railStopped: new Gauge({
      name: 'manilla_rail_stopped',
      help: 'Whether a rail is stopped, so that it gets no payments until a person resumes it: 1 if so.',
      labelNames: ['rail'],
      registers,
    }),
  }
}

function webhookMetrics(registers: Registry[]) {
  return {
    webhookAttempts: fromZero(
      new Counter({
        name: 'manilla_webhook_attempts_total',
        help: 'Recorded attempts to deliver a webhook, by outcome.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['delivered', 'failed', 'gone'],
    ),
    webhooksUnderWay: new Gauge({
      name: 'manilla_webhooks_under_way',
      help: 'Attempts to deliver a webhook whose response this process awaits.',
      registers,
    }),
    webhooksWaiting: new Gauge({
      name: 'manilla_webhooks_waiting',
      help: 'Deliveries that this process has claimed and that wait for their turn.',
      registers,
    }),
    webhooksDisabled: fromZero(
      new Counter({
        name: 'manilla_webhooks_disabled_total',
        help: 'Webhooks disabled by the service, because their receiver is gone or every delivery failed.',
        labelNames: ['because'],
        registers,
      }),
      'because',
      ['GONE', 'FAILING'],
    ),
  }
}

function backlogMetrics(registers: Registry[]) {
  return {
    due: new Gauge({
      name: 'manilla_due',
      help: 'Due work that no worker has claimed, by queue. Counted up to 10000 a lane. Set by processes with the api role.',
      labelNames: ['queue'],
      registers,
    }),
    oldestDueSeconds: new Gauge({
      name: 'manilla_oldest_due_seconds',
      help: 'How long the oldest due work of each queue has been due, in seconds. More than a minute means that a worker is missing.',
      labelNames: ['queue'],
      registers,
    }),
  }
}

function mailMetrics(registers: Registry[]) {
  return {
    mails: fromZero(
      new Counter({
        name: 'manilla_mails_total',
        help: 'Attempts to send an e-mail, by outcome. `failed` counts e-mails that were given up.',
        labelNames: ['outcome'],
        registers,
      }),
      'outcome',
      ['sent', 'refused', 'later', 'unreachable', 'failed'],
    ),
    mailsWaiting: new Gauge({
      name: 'manilla_mails_waiting',
      help: 'E-mails that are not sent yet. Counted up to 10000. Set by processes with SMTP_URL.',
      registers,
    }),
    oldestMailSeconds: new Gauge({
      name: 'manilla_oldest_mail_seconds',
      help: 'Age of the oldest e-mail that is not sent yet. It is given up after a day.',
      registers,
    }),
  }
}

// The label `rows` is movements or events.

function archiveMetrics(registers: Registry[]) {
  const labelNames = ['rows'] as const
  return {
    archivedUntil: new Gauge({
      name: 'manilla_archive_sealed_until_seconds',
      help: 'The end of the last month that is sealed in files in every lane, in Unix seconds. 0: a lane has no sealed month.',
      labelNames,
      registers,
    }),
    archiveRowsLeft: new Gauge({
      name: 'manilla_archive_rows_left',
      help: 'Rows of sealed months that are still in their table. If no archive command runs, one was interrupted.',
      labelNames,
      registers,
    }),
    archiveOldest: new Gauge({
      name: 'manilla_archive_oldest_seconds',
      help: 'The time of the oldest row of a month that is not sealed, in Unix seconds, read within the last hour.',
      labelNames,
      registers,
    }),
  }
}

const freshMs = 5_000
/** A slow database delays a scrape by at most this long. */
const waitMsMax = 2_000

/** `measure` sets the gauges. If it rejects, because the database does not respond, `forget` removes them. */
export function refreshAtScrape(
  { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
  measure: () => Promise<void>,
  forget: () => void,
): void {
  let freshUntilMs = -Infinity
  let measuring: Promise<void> | undefined

  async function measureOnce(): Promise<void> {
    try {
      await measure()
      freshUntilMs = clock.now() + freshMs
    } catch {
      forget()
    } finally {
      measuring = undefined
    }
  }

  metrics.beforeScrape(async () => {
    if (clock.now() < freshUntilMs) return
    measuring ??= measureOnce()
    await finishesWithin(waitMsMax, measuring)
  })
}
