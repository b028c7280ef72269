// The overview of the installation for its operator: rails, their balances, due work, and what an operator must review.

import { finishesWithin } from '#platform/concurrency.ts'
import { hourMs } from '#platform/durations.ts'
import { environments, type Context, type Environment } from '#platform/context.ts'
import { type Exception, listOpenExceptions } from '#review/review-queue.ts'
import { listLatestNotices, listNotices } from '#rail-notices/service.ts'
import { listPauses, listStops, type Pause } from '#payments/brakes.ts'
import type { Wallet } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { listBreaks, type RailBreak } from '#reconciliation/mismatches.ts'
import { type HourEnded, readEnded } from '#stats/stats.ts'
import { type Backlog, readDueWork } from './backlog.ts'

export type RailOverview = {
  name: string
  /** The provider; `simulator` if none is configured. */
  kind: string
  environment: Environment
  ports: string[]
  state: 'ok' | 'misconfigured' | 'stopped'
  breakers: { port: string; state: string }[]
  /** Null: the provider reports no balance, or did not answer. */
  wallets: Wallet[] | null
  /** When the rail's last notice arrived; null if none of the installation's latest notices is from this rail. */
  noticedAt: Date | null
}

export type Overview = {
  backlog: Backlog[]
  ended: HourEnded[]
  rails: RailOverview[]
  exceptions: Exception[]
  exceptionsTotal: number
  breaks: RailBreak[]
  /** The number of rail notices that could not be confirmed, up to the length of one list. */
  noticesStuck: number
  pauses: Pause[]
}

export type OverviewDeps = { ctx: Context; rails: RailRegistry; kindOf: (rail: string) => string | undefined }

const ports = [
  'payout',
  'bankDirectory',
  'momoPayout',
  'momoDirectory',
  'momoCollection',
  'virtualAccounts',
  'inbound',
] as const

/** The age up to which a provider's balance is shown again, so that many open pages ask the provider only once. */
const floatAgeMsMax = 30_000
const floatMsMax = 3_000

type FloatAnswer = { wallets: Wallet[] | null; state: RailOverview['state'] }
type FloatRequest = { atMs: number; told: Promise<FloatAnswer> }

export function createOverview({ ctx, rails, kindOf }: OverviewDeps): (lanes: number[]) => Promise<Overview> {
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

  const one = async (environment: Environment, name: string): Promise<Omit<RailOverview, 'noticedAt'>> => ({
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

  return async (lanes) => {
    const named = environments.flatMap((environment) =>
      rails.namesOf(environment).map((name) => [environment, name] as const),
    )
    const [railsNow, { exceptions, total }, breaks, stuck, pauses, stops, latest, backlog, ended] = await Promise.all([
      Promise.all(named.map(([environment, name]) => one(environment, name))),
      listOpenExceptions(ctx),
      listBreaks(ctx, { open: true }),
      listNotices(ctx, 'stuck'),
      listPauses(ctx),
      listStops(ctx),
      listLatestNotices(ctx),
      readDueWork(ctx, lanes),
      readEndedHours(ctx, lanes),
    ])
    return {
      rails: railsNow.map((rail) => ({
        ...rail,
        noticedAt: latest.find(isOfRail(rail))?.receivedAt ?? null,
        ...(stops.some(isOfRail(rail)) ? { state: 'stopped' as const } : {}),
      })),
      backlog,
      ended,
      exceptions,
      exceptionsTotal: total,
      breaks,
      noticesStuck: stuck.length,
      pauses,
    }
  }
}

function isOfRail({ name, environment }: Pick<RailOverview, 'name' | 'environment'>) {
  return (row: { rail: string; environment: Environment }): boolean =>
    row.rail === name && row.environment === environment
}

/** Returns this hour, then the previous one. Reads one lane after the other, like `readDueWork`. */
async function readEndedHours({ db, clock }: Context, lanes: number[]): Promise<HourEnded[]> {
  const thisHourMs = Math.floor(clock.now() / hourMs) * hourMs
  const hours = [thisHourMs, thisHourMs - hourMs].map((at) => ({
    hour: new Date(at),
    succeeded: 0,
    failed: 0,
    deposits: 0,
  }))
  for (const lane of lanes) {
    for (const row of await readEnded(db, lane, new Date(thisHourMs - hourMs))) {
      const sum = hours.find(({ hour }) => hour.getTime() === row.hour.getTime())
      if (sum === undefined) continue
      sum.succeeded += row.succeeded
      sum.failed += row.failed
      sum.deposits += row.deposits
    }
  }
  return hours
}

const silent: FloatAnswer = { wallets: null, state: 'ok' }

async function askFloat(rails: RailRegistry, environment: Environment, rail: string): Promise<FloatAnswer> {
  const port = rails.float(environment, { rail })
  if (port.kind === 'missing') return silent
  const answer = await port.port.balance()
  if (answer.kind === 'known') return { wallets: answer.wallets, state: 'ok' }
  return { wallets: null, state: answer.why === 'misconfigured' ? 'misconfigured' : 'ok' }
}
