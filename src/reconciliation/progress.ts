// Up to which time each rail's lists were compared with our records, for operators and Prometheus.

import type { Context, Environment } from '#platform/context.ts'
import { toMoney, toWire } from '#platform/money.ts'
import { refreshAtScrape } from '#platform/observability/metrics.ts'
import { listStops } from '#payments/brakes.ts'
import type { RailName } from '#rails/rail.ts'
import { breakKinds, countOpen } from './mismatches.ts'
import { findChecks, type NotedWallet } from './schedule.ts'

export type RailProof = {
  environment: Environment
  rail: string
  beganAt: Date
  /** The loop over whole days has compared all lines before this time; null if none yet. */
  provedUntil: Date | null
  freshUntil: Date | null
  wallets: NotedWallet[]
  /** Why the last attempt to fetch the rail's lists failed; null if it succeeded. */
  why: string | null
  openBreaks: number
  stopped: { at: Date; why: string } | null
}

const checksMax = 1_000
const countedMax = 100_000

export async function proofOfRails({ db }: Pick<Context, 'db'>): Promise<RailProof[]> {
  const [checks, counts, stops] = await Promise.all([
    findChecks(db, checksMax),
    countOpen(db, countedMax),
    listStops({ db }),
  ])
  return checks
    .filter(({ loop }) => loop === 'close')
    .map(({ environment, rail, beganAt, provedUntil, why, wallets }) => {
      const isHere = (one: RailName): boolean => one.environment === environment && one.rail === rail
      const near = checks.find((one) => one.loop === 'near' && isHere(one))
      const stop = stops.find(isHere)
      return {
        environment,
        rail,
        beganAt,
        provedUntil,
        freshUntil: near?.provedUntil ?? null,
        wallets: near?.wallets ?? wallets ?? [],
        why: near?.why ?? why,
        openBreaks: counts.filter(isHere).reduce((sum, { count }) => sum + Number(count), 0),
        stopped: stop === undefined ? null : { at: stop.stoppedAt, why: stop.why },
      }
    })
}

export function exportProofs(ctx: Context, rails: RailName[]): void {
  const { breaksOpen, railProvedUntil, railFloat, railStopped } = ctx.metrics
  if (rails.length === 0) return
  async function setGauges(): Promise<void> {
    const [proofs, counts] = await Promise.all([proofOfRails(ctx), countOpen(ctx.db, countedMax)])
    const stops = await listStops(ctx)
    for (const { environment, rail } of rails) {
      const isHere = (one: RailName): boolean => one.environment === environment && one.rail === rail
      for (const kind of breakKinds) {
        const found = counts.find((one) => one.kind === kind && isHere(one))
        breaksOpen.set({ rail, kind }, Number(found?.count ?? 0n))
      }
      const proof = proofs.find(isHere)
      const until = proof?.provedUntil ?? proof?.beganAt
      if (until !== undefined) railProvedUntil.set({ rail }, until.getTime() / 1_000)
      for (const { currency, country = '', amount } of proof?.wallets ?? [])
        railFloat.set({ rail, currency, country }, toWire(toMoney(BigInt(amount))))
      railStopped.set({ rail }, stops.some(isHere) ? 1 : 0)
    }
  }
  refreshAtScrape(ctx, setGauges, () =>
    [breaksOpen, railProvedUntil, railFloat, railStopped].forEach((gauge) => gauge.reset()),
  )
}
