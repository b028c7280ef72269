// The Prometheus metrics. Every metric of the service is declared here. Each App has its own registry instead of the
// package's global one, so that two Apps in one process (tests) do not count for each other.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { finishesWithin } from '#platform/clock.ts'
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
    /** Registers a hook that updates gauges before each scrape, which waits for it and fails if it rejects. */
    beforeScrape: (hook: () => Promise<void>) => void hooks.push(hook),
    /** All metrics in the Prometheus text format. */
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
    ...doorMetrics(registers),
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

/** Starts each label at 0, because `increase()` does not see the first event of a counter that appears with it. */
function fromZero<Label extends string>(
  counter: Counter<Label>,
  label: Label,
  values: readonly string[],
): Counter<Label> {
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0)
  return counter
}

function doorMetrics(registers: Registry[]) {
  return {
    apiRequestsLeftOut: fromZero(
      new Counter({
        name: 'manilla_api_requests_left_out_total',
        help: 'Requests that are not in the log that developers see, by why: rate, full or database.',
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
      help: 'Time from the first byte of a request to its answer, by route.',
      labelNames: ['route'],
      buckets: durationBuckets,
      registers,
    }),
    spansDropped: new Counter({
      name: 'manilla_trace_spans_dropped_total',
      help: 'Spans that the collector did not take in time.',
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
      help: 'Commands carried by one transaction of a lane.',
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
      help: 'Batches that failed and were split to find the culprit.',
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
      help: 'Whether this process refuses to store secrets because the database has gone on to another SECRET_KEY: 1 it does.',
      registers,
    }),
    clockOffset: new Gauge({
      name: 'manilla_clock_offset_seconds',
      help: 'How far the clock of this machine is ahead of the database. The service follows the database.',
      registers,
    }),
    databaseClockSteps: new Counter({
      name: 'manilla_database_clock_steps_total',
      help: 'Times that the clock of the database was found set by two seconds or more. Any increase wants a person.',
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
      help: 'Payments without an outcome for a day, each counted once a minute by each worker. Any increase wants a person.',
      registers,
    }),
    paymentsWithoutRail: new Counter({
      name: 'manilla_payments_without_rail_total',
      help: 'Payments unfinished for more than five minutes whose rail, bank or operator is not configured here, or whose rails were all tried, each counted once a minute by each worker. Any increase wants a person.',
      registers,
    }),
    paymentsMoved: new Counter({
      name: 'manilla_payments_moved_total',
      help: 'Accepted payouts that went to another rail because theirs had not got them, by why.',
      labelNames: ['why'],
      registers,
    }),
    railCallsLate: new Counter({
      name: 'manilla_rail_calls_late_total',
      help: 'Calls that a rail did not end within its time limit and that were given up, by rail and call.',
      labelNames: ['rail', 'call'],
      registers,
    }),
    railCallSeconds: new Histogram({
      name: 'manilla_rail_call_seconds',
      help: 'How long calls of a configured rail took, by rail, call and what kind of answer came.',
      labelNames: ['rail', 'call', 'outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    railBreakerState: new Gauge({
      name: 'manilla_rail_breaker_state',
      help: 'Whether new payments are handed to a port of a rail: 0 they are, 1 it is tried out, 2 they wait.',
      labelNames: ['rail', 'port'],
      registers,
    }),
    paymentsContradicted: new Counter({
      name: 'manilla_payments_contradicted_total',
      help: 'Answers of a rail that contradict what a payment ended as. Any increase wants a person.',
      registers,
    }),
  }
}

function moneyMetrics(registers: Registry[]) {
  return {
    exceptionsOpen: new Gauge({
      name: 'manilla_exceptions_open',
      help: 'Facts about money that are open, by kind; each wants a person. See: manilla exceptions list.',
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
      help: 'For how long the oldest notice of a rail that is not done has been here. 0: there is none.',
      registers,
    }),
  }
}

function reconcileMetrics(registers: Registry[]) {
  return {
    breaksOpen: new Gauge({
      name: 'manilla_rail_breaks_open',
      help: "Where a provider's lists and ours do not agree, by kind; each wants a person. See: manilla rails breaks.",
      labelNames: ['rail', 'kind'],
      registers,
    }),
    railProvedUntil: new Gauge({
      name: 'manilla_rail_proved_until_seconds',
      help: 'Until when all that a provider lists was held against ours, as a time in seconds.',
      labelNames: ['rail'],
      registers,
    }),
    railFloat: new Gauge({
      name: 'manilla_rail_float_minor_units',
      help: 'The balance at a provider when it was asked last, in the minor unit of its currency. country: one balance per country.',
      labelNames: ['rail', 'currency', 'country'],
      registers,
    }),
    railStopped: new Gauge({
      name: 'manilla_rail_stopped',
      help: 'Whether nothing is handed to a rail until a person resumes it: 1 it is stopped.',
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
      help: 'Attempts to deliver a webhook whose answer is awaited by this process.',
      registers,
    }),
    webhooksWaiting: new Gauge({
      name: 'manilla_webhooks_waiting',
      help: 'Deliveries in the hand of this process that wait for their turn.',
      registers,
    }),
    webhooksDisabled: fromZero(
      new Counter({
        name: 'manilla_webhooks_disabled_total',
        help: 'Webhooks disabled by the service, because their receiver is gone or did nothing but fail.',
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
      help: 'Due work that no worker has claimed, by queue. Counted up to 10000 a lane. Told by processes with the api role.',
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

// Metrics of archived months. The label `rows` is movements or events.

function archiveMetrics(registers: Registry[]) {
  const labelNames = ['rows'] as const
  return {
    archivedUntil: new Gauge({
      name: 'manilla_archive_sealed_until_seconds',
      help: 'Until when rows are sealed in files, as a time in seconds, in the lane that is least far. 0: one has no month that is.',
      labelNames,
      registers,
    }),
    archiveRowsLeft: new Gauge({
      name: 'manilla_archive_rows_left',
      help: 'Rows of sealed months that are not out of their table yet. If no archive command runs, one was cut off.',
      labelNames,
      registers,
    }),
    archiveOldest: new Gauge({
      name: 'manilla_archive_oldest_seconds',
      help: 'The time of the oldest row of a month that is not sealed, as a time in seconds, as it was in the last hour.',
      labelNames,
      registers,
    }),
  }
}

// Updates gauges from the database when Prometheus scrapes, and only then.

/** More frequent scrapes get the same values. */
const freshMs = 5_000
/** The longest time that a slow database may delay a scrape. */
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
