// The rails of an App: the simulator, those of RAILS_FILE, what metrics show of them, and what a process does beside its
// payments for them: it tries what rested, and tells the other processes of itself.

import { environments, type Context } from '#base/context.ts'
import type { Metrics } from '#base/metrics.ts'
import { createNet, type Net } from '#base/net.ts'
import type { Config } from '#config.ts'
import { confirmAccount } from '#payments/provider-accounts.ts'
import type { ConfirmAccount } from '#rails/account-gate.ts'
import { routingOf } from '#rails/from-file.ts'
import { createProcesses, renewEveryMs, type BreakerReport } from '#rails/processes.ts'
import type { RailEntry } from '#rails/rails-file.ts'
import { createRailRegistry, type BreakerView, type RailRegistry, type Rails } from '#rails/registry.ts'
import { limitedCalls } from '#rails/time-limits.ts'
import { createLoop } from '#worker/loop.ts'

/** A provider is one machine, called for hundreds of payments at once. */
const railConnections = { connectionsMax: 512, connectionsPerOriginMax: 256 }

/** A rail rests for half a minute at least. */
const probeEveryMs = 1_000

export type ConnectedRails = {
  rails: RailRegistry
  railNet: Net
  /** Before anything is served. */
  start(): Promise<void>
  /** When no payment is in hand any more. */
  stop(): Promise<void>
}

/** `given`: in place of the usual rails. */
export function connectRails(
  ctx: Context,
  { rails: file, sandboxSettleMs: settleMs }: Config,
  given: Rails | undefined,
): ConnectedRails {
  const { clock, metrics, log } = ctx
  const railNet = createNet({ ...railConnections, clock, traceHeaders: () => ctx.tracing?.headers() })
  const processes = createProcesses(ctx, () => rails.breakers().flatMap(reportOf))
  const renewing = createLoop({
    name: 'rail processes',
    everyMs: renewEveryMs,
    log,
    turn: () => processes.renew().then(() => 0),
  })
  const confirm = (name: string, entry: RailEntry): ConfirmAccount => confirmAccount(ctx, name, entry)
  const making = { net: railNet, clock, share: processes.share, confirm }
  const rails: RailRegistry = createRailRegistry({
    clock,
    settleMs,
    rails: given,
    routing: file === undefined ? undefined : routingOf(file, making),
    onLate: (late) => metrics.railCallsLate.inc(late),
    onEnd: ({ seconds, ...labels }) => metrics.railCallSeconds.observe(labels, seconds),
    onBreaker(breaker) {
      tell(ctx, breaker)
      renewing.wake()
    },
  })
  const probing = createLoop({
    name: 'rail breakers',
    everyMs: probeEveryMs,
    log,
    async turn() {
      void rails.probe() // A provider that is silent holds up no stop.
      return 0
    },
  })
  for (const rail of environments.flatMap((environment) => rails.namesOf(environment)))
    for (const call of limitedCalls) metrics.railCallsLate.inc({ rail, call }, 0)
  showBreakers(metrics, rails)
  return {
    rails,
    railNet,
    async start() {
      if (file === undefined) return
      await processes.renew()
      for (const loop of [probing, renewing]) loop.start()
    },
    async stop() {
      if (file === undefined) return
      await Promise.all([probing.stop(), renewing.stop()])
      // A process that cannot say so is forgotten within a minute.
      await processes.leave().catch(() => undefined)
    },
  }
}

function reportOf({ rail, port, opening }: BreakerView): BreakerReport[] {
  return opening === undefined ? [] : [{ rail, port, ...opening }]
}

function tell({ log }: Context, { rail, port, opening }: BreakerView): void {
  if (opening === undefined) return log.info({ rail, port }, 'a rail that had been left alone is handed payments again')
  const { cause, detail } = opening
  const told = { rail, port, detail }
  if (cause === 'misconfigured') log.error(told, 'a rail refuses us and is left alone; see docs/rails/README.md')
  else log.warn(told, 'a rail fails and is left alone for a while')
}

const breakerValues = { closed: 0, 'half-open': 1, open: 2 }

function showBreakers(metrics: Metrics, rails: RailRegistry): void {
  metrics.beforeScrape(() => {
    for (const { rail, port, state } of rails.breakers())
      metrics.railBreakerState.set({ rail, port }, breakerValues[state])
    return Promise.resolve()
  })
}
