// The windows of an App: the simulator, the rails of RAILS_FILE, and what metrics show of them.

import { environments, type Context } from '#base/context.ts'
import type { Metrics } from '#base/metrics.ts'
import { createNet, type Net } from '#base/net.ts'
import type { Config } from '#config.ts'
import { routingOf } from '#rails/from-file.ts'
import { createRailRegistry, type RailRegistry, type Rails } from '#rails/registry.ts'
import { limitedCalls } from '#rails/time-limits.ts'

/** A provider is one machine, called for hundreds of payments at once. */
const railConnections = { connectionsMax: 512, connectionsPerOriginMax: 256 }

/** `given`: in place of the usual rails. */
export function connectRails(
  ctx: Context,
  { rails: file, sandboxSettleMs: settleMs }: Config,
  given: Rails | undefined,
): { rails: RailRegistry; railNet: Net } {
  const { clock, metrics } = ctx
  const railNet = createNet({ ...railConnections, clock, traceHeaders: () => ctx.tracing?.headers() })
  const rails = createRailRegistry({
    clock,
    settleMs,
    rails: given,
    routing: file === undefined ? undefined : routingOf(file, { net: railNet, clock }),
    onLate: (late) => metrics.railCallsLate.inc(late),
    onEnd: ({ seconds, ...labels }) => metrics.railCallSeconds.observe(labels, seconds),
  })
  for (const rail of environments.flatMap((environment) => rails.namesOf(environment)))
    for (const call of limitedCalls) metrics.railCallsLate.inc({ rail, call }, 0)
  showBreakers(metrics, rails)
  return { rails, railNet }
}

const breakerValues = { closed: 0, 'half-open': 1, open: 2 }

function showBreakers(metrics: Metrics, rails: RailRegistry): void {
  metrics.beforeScrape(() => {
    for (const { rail, port, state } of rails.breakers())
      metrics.railBreakerState.set({ rail, port }, breakerValues[state])
    return Promise.resolve()
  })
}
