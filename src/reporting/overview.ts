// The installation at one glance, for who looks after it: its rails and what they hold, and all that waits for a person.

import { finishesWithin } from '#platform/clock.ts'
import { environments, type Context, type Environment } from '#platform/context.ts'
import type { Exception } from '#review/review-item.ts'
import { listOpenExceptions } from '#review/service.ts'
import { listNotices } from '#rail-notices/service.ts'
import { listPauses, listStops, type Pause } from '#payments/brakes.ts'
import type { Wallet } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { listBreaks, type RailBreak } from '#reconciliation/mismatches.ts'

export type RailOverview = {
  name: string
  /** The provider; `simulator` if none is configured. */
  kind: string
  environment: Environment
  ports: string[]
  state: 'ok' | 'misconfigured' | 'stopped'
  breakers: { port: string; state: string }[]
  /** Null: it does not tell, or not now. */
  wallets: Wallet[] | null
}

export type Overview = {
  rails: RailOverview[]
  exceptions: Exception[]
  /** Of exceptions, also those that are not listed. */
  exceptionsTotal: number
  /** Where a provider's list and ours do not agree. */
  breaks: RailBreak[]
  /** Notices of rails that could not be confirmed. */
  noticesStuck: number
  pauses: Pause[]
}

export type OverviewMeans = { ctx: Context; rails: RailRegistry; kindOf: (rail: string) => string | undefined }

const ports = [
  'payout',
  'bankDirectory',
  'momoPayout',
  'momoDirectory',
  'momoCollection',
  'virtualAccounts',
  'inbound',
] as const

/** Providers are asked for what they hold no more often than this, however many people look. */
const floatAgeMsMax = 30_000
/** A page waits this long for a provider. */
const floatMsMax = 3_000

type FloatAnswer = { wallets: Wallet[] | null; state: RailOverview['state'] }
type FloatRequest = { atMs: number; told: Promise<FloatAnswer> }

export function createOverview({ ctx, rails, kindOf }: OverviewMeans): () => Promise<Overview> {
  const asked = new Map<string, FloatRequest>()

  function ask(environment: Environment, rail: string): Promise<FloatAnswer> {
    const nowMs = ctx.clock.now()
    const key = `${environment} ${rail}`
    const known = asked.get(key)
    if (known !== undefined && nowMs - known.atMs < floatAgeMsMax) return known.told
    const answer = askFloat(rails, environment, rail)
    const told = finishesWithin(floatMsMax, answer).then((isThere) => (isThere ? answer : silent))
    asked.set(key, { atMs: nowMs, told })
    return told
  }

  const one = async (environment: Environment, name: string): Promise<RailOverview> => ({
    name,
    kind: kindOf(name) ?? 'simulator',
    environment,
    ports: ports.filter((port) => rails[port](environment, { rail: name }).kind === 'served'),
    breakers: rails
      .breakers()
      .flatMap(({ rail, port, operator, state }) =>
        rail === name ? [{ port: operator === undefined ? port : `${port} ${operator}`, state }] : [],
      ),
    ...(await ask(environment, name)),
  })

  return async () => {
    const named = environments.flatMap((environment) =>
      rails.namesOf(environment).map((name) => [environment, name] as const),
    )
    const [railsNow, { exceptions, total }, breaks, stuck, pauses, stops] = await Promise.all([
      Promise.all(named.map(([environment, name]) => one(environment, name))),
      listOpenExceptions(ctx),
      listBreaks(ctx, { open: true }),
      listNotices(ctx, 'stuck'),
      listPauses(ctx),
      listStops(ctx),
    ])
    const isStopped = ({ name, environment }: RailOverview): boolean =>
      stops.some((stop) => stop.rail === name && stop.environment === environment)
    return {
      rails: railsNow.map((rail) => (isStopped(rail) ? { ...rail, state: 'stopped' } : rail)),
      exceptions,
      exceptionsTotal: total,
      breaks,
      noticesStuck: stuck.length,
      pauses,
    }
  }
}

const silent: FloatAnswer = { wallets: null, state: 'ok' }

async function askFloat(rails: RailRegistry, environment: Environment, rail: string): Promise<FloatAnswer> {
  const port = rails.float(environment, { rail })
  if (port.kind === 'missing') return silent
  const answer = await port.port.balance()
  if (answer.kind === 'known') return { wallets: answer.wallets, state: 'ok' }
  return { wallets: null, state: answer.why === 'misconfigured' ? 'misconfigured' : 'ok' }
}
