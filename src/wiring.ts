// Parts of an App that need several modules, for app.ts: sealed values and their keys, facts that are written at
// intervals, rails, e-mails, and the dashboard.

import { answerMissingBuild, createAssets } from './api/dashboard/assets.ts'
import type { DashboardParts } from './api/dashboard/dashboard.ts'
import type { Rooms } from './api/server/routes.ts'
import type { AppOptions } from './app.ts'
import type { RefusalLog } from './audit/refusals.ts'
import { laneNumbers } from './businesses/lanes.ts'
import { dashboardUrlOf, mailSettingsOf, noticesUrlOf, type Config } from './config.ts'
import { resealLetters } from './mail/queue.ts'
import { listOperators } from './directory/operators.ts'
import { createMail, pruneLetters, type Mail } from './mail/send.ts'
import { createMailTransport } from './mail/transport.ts'
import { confirmAccount } from './payments/provider-accounts.ts'
import { type Context, environments } from './platform/context.ts'
import { inLane } from './platform/db/db.ts'
import { briefMessage } from './platform/errors.ts'
import { createNet, type Net } from './platform/http-client/client.ts'
import type { Log } from './platform/observability/log.ts'
import type { Metrics } from './platform/observability/metrics.ts'
import {
  type ResealMode,
  readSecretKeys,
  requireSecretKeys,
  createSecretBox,
  type SecretBox,
  type SecretKeys,
  createListedBox,
} from './platform/secrets.ts'
import { createAlertLetters, type WriteAlertLetters } from './reporting/alerts.ts'
import { resealNotices } from './rail-notices/service.ts'
import type { ConfirmAccount } from './rails/account-gate.ts'
import { routingOf, type RailEntry } from './rails/rails-file.ts'
import { createProcesses, renewEveryMs, type BreakerReport } from './rails/processes.ts'
import { createOffersKeeper } from './rails/operator-offers.ts'
import { createRailRegistry, type BreakerView, type RailRegistry, type Rails } from './rails/registry.ts'
import { limitedCalls } from './rails/time-limits.ts'
import { resealPeople } from './users/factor-codes.ts'
import { answerResetRequests } from './users/password-resets.ts'
import { createPeople } from './users/service.ts'
import { resealCustomers } from './virtual-accounts/customers.ts'
import { resealSubscriptions } from './webhooks/reseal.ts'
import { createLoop } from './worker/loops.ts'

// All sealed values, of every module, and the keys that a process needs for them.

const sealedValues = [resealSubscriptions, resealCustomers, resealNotices]

/** Resolves with the number of values that were not sealed with the current key. */
export async function resealAll(ctx: Context, box: SecretBox, how: ResealMode): Promise<number> {
  // People and their e-mails belong to no lane.
  let found = (await resealPeople(ctx.db, box, how)) + (await resealLetters(ctx.db, box, how))
  for (const lane of await laneNumbers(ctx)) {
    for (const reseal of sealedValues) found += await reseal(inLane(ctx.db, lane), box, how)
  }
  return found
}

/**
 * Throws an error with instructions if the given keys may not open every stored secret. A database of an older version
 * lists no keys, so the keys are tried on the first stored values of each table before the current key is listed.
 */
export async function requireKeysOf(ctx: Context, keys: SecretKeys): Promise<void> {
  if ((await readSecretKeys(ctx.db)).length === 0)
    await resealAll(ctx, createSecretBox(keys.secretKey, keys.previousSecretKeys), 'check')
  await requireSecretKeys(ctx.db, keys)
}

// Facts that an App counts in memory and writes at intervals, such as when keys were used.

const notesEveryMs = 10_000

type WriteNotes = () => Promise<void>

/** Calls the writers every ten seconds. `stop` ends this and calls the writers in `last` once. Failures are logged. */
export function startNotes(writers: WriteNotes[], log: Log): { stop(last: WriteNotes[]): Promise<void> } {
  const write = async (each: WriteNotes[]): Promise<void> => {
    for (const one of each)
      await one().catch((error: unknown) =>
        log.warn({ error: briefMessage(error) }, 'could not store key uses and refused attempts'),
      )
  }
  const timer = setInterval(() => void write(writers), notesEveryMs)
  timer.unref()
  return {
    stop(last) {
      clearInterval(timer)
      return write(last)
    },
  }
}

// The rails of an App: the simulator and those of RAILS_FILE, their metrics, and what a process does for them besides
// payments: it probes rails after the cooldown of their breakers, reports its breakers to the other processes, and
// reads which operators the accounts at the providers support.

/** More per origin than for webhooks, because one provider is called for hundreds of payments at once. */
const railConnections = { connectionsMax: 512, connectionsPerOriginMax: 256 }

/** The cooldown of a breaker lasts at least half a minute, so checking once a second is precise enough. */
const probeEveryMs = 1_000

export type ConnectedRails = {
  rails: RailRegistry
  railNet: Net
  start(): Promise<void>
  /** Call it when this process has no leased payment left. */
  stop(): Promise<void>
}

/** `given` replaces the usual rails. */
export function connectRails(ctx: Context, config: Config, given: Rails | undefined): ConnectedRails {
  const { rails: file, sandboxSettleMs: settleMs } = config
  const { clock, metrics, log } = ctx
  const railNet = createNet({ ...railConnections, clock, traceHeaders: () => ctx.tracing?.headers() })
  const processes = createProcesses(ctx, () => rails.breakers().flatMap(reportOf))
  const renewing = createLoop({ name: 'rail processes', everyMs: renewEveryMs, log, turn: noWork(processes.renew) })
  const confirm = (name: string, entry: RailEntry): ConfirmAccount => confirmAccount(ctx, name, entry)
  const noticesUrl = (name: string, entry: RailEntry): string => noticesUrlOf(config, name, entry)
  const making = { net: railNet, clock, share: processes.share, confirm, noticesUrl }
  const offers = createOffersKeeper(ctx, () => rails.offersSources(), listOperators())
  const rails: RailRegistry = createRailRegistry({
    clock,
    offers: offers.known,
    settleMs,
    rails: given,
    routing: file === undefined ? undefined : routingOf(file, making),
    onLate: (late) => metrics.railCallsLate.inc(late),
    onEnd: ({ seconds, ...labels }) => metrics.railCallSeconds.observe(labels, seconds),
    onBreaker(breaker) {
      logBreaker(ctx, breaker)
      renewing.wake()
    },
  })
  const probing = createLoop({
    name: 'rail breakers',
    everyMs: probeEveryMs,
    log,
    async turn() {
      void rails.probe() // Not awaited, so that a silent provider does not delay a stop.
      return 0
    },
  })
  const readingOffers = createLoop({ name: 'rail operators', everyMs: renewEveryMs, log, turn: noWork(offers.refresh) })
  for (const rail of environments.flatMap((environment) => rails.namesOf(environment)))
    for (const call of limitedCalls) metrics.railCallsLate.inc({ rail, call }, 0)
  showBreakers(metrics, rails)
  const loops = [probing, renewing, ...(rails.offersSources().length === 0 ? [] : [readingOffers])]
  return {
    rails,
    railNet,
    async start() {
      if (file === undefined) return
      await Promise.all([processes.renew(), offers.load()])
      for (const loop of loops) loop.start()
    },
    async stop() {
      if (file === undefined) return
      await Promise.all(loops.map((loop) => loop.stop()))
      // If this fails, the other processes drop this one within a minute.
      await processes.leave().catch(() => undefined)
    },
  }
}

/** A turn of a loop that claims no rows, so the loop waits for its interval after each. */
const noWork = (turn: () => Promise<void>) => (): Promise<number> => turn().then(() => 0)

function reportOf({ rail, port, operator, opening }: BreakerView): BreakerReport[] {
  return opening === undefined ? [] : [{ rail, port, ...(operator === undefined ? {} : { operator }), ...opening }]
}

function logBreaker({ log }: Context, { rail, port, operator, opening }: BreakerView): void {
  if (opening === undefined) return log.info({ rail, port, operator }, 'rail recovered; payments are sent to it again')
  const { cause, detail } = opening
  const told = { rail, port, operator, detail }
  if (cause === 'misconfigured')
    log.error(told, 'rail is misconfigured and receives no payments; see docs/rails/README.md')
  else log.warn(told, 'rail is failing and receives no payments for a while')
}

const breakerValues = { closed: 0, 'half-open': 1, open: 2 }

function showBreakers(metrics: Metrics, rails: RailRegistry): void {
  metrics.beforeScrape(() => {
    for (const { rail, port, operator, state } of rails.breakers())
      if (operator === undefined) metrics.railBreakerState.set({ rail, port }, breakerValues[state])
    return Promise.resolve()
  })
}

export type MailParts = {
  /** Undefined if no mail server is set. */
  mail: Mail | undefined
  writeAlertLetters: WriteAlertLetters
  pruneLetters: () => Promise<number>
  answerResets: () => Promise<number>
}

export function mailPartsOf(
  ctx: Context,
  { config, secretKey, previousSecretKeys = [] }: Pick<AppOptions, 'config' | 'secretKey' | 'previousSecretKeys'>,
): MailParts {
  const box = createListedBox(ctx, { secretKey, previousSecretKeys })
  const settings = mailSettingsOf(config)
  const dashboardUrl = dashboardUrlOf(config, config.port)
  return {
    mail:
      settings === undefined
        ? undefined
        : createMail({ ctx, box, transport: createMailTransport(settings), dashboardUrl }),
    writeAlertLetters: createAlertLetters(ctx),
    pruneLetters: () => pruneLetters(ctx),
    answerResets: () => answerResetRequests(ctx, box),
  }
}

/** Undefined if DASHBOARD is off. */
export function dashboardPartsOf(
  ctx: Context,
  { config, secretKey, previousSecretKeys = [], dashboardAssets, dashboardFiles }: AppOptions,
  rooms: Rooms,
  refusals: RefusalLog,
): DashboardParts | undefined {
  if (!config.dashboard) return undefined
  const people = createPeople(ctx, { box: createListedBox(ctx, { secretKey, previousSecretKeys }), refusals })
  const assets = dashboardFiles === undefined ? answerMissingBuild : createAssets(dashboardFiles)
  return { ctx, people, rooms, assets: dashboardAssets ?? assets }
}
