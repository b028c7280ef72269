// The amounts that a rail accepts for the wallets of each mobile-money operator, as the provider has configured them
// for our account. One process reads a provider's configuration and stores it, so that all processes, also one that
// starts while the provider is down, accept and refuse the same amounts. If a configuration is unknown, or was last
// read too long ago, the limits of all payments and the decimals in our directory of operators count instead.

import { finishesWithin } from '#platform/concurrency.ts'
import type { Context } from '#platform/context.ts'
import { statement } from '#platform/db/db.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { amountMax, decimalsOf, toMoney, type Money } from '#platform/money.ts'
import type { OperatorOffer, RailName, RailOperator } from './rail.ts'

export type MomoPort = OperatorOffer['port']

/** The amounts that a rail carries at one operator: multiples of `step` from `minAmount` to `maxAmount`. */
export type CarriedAmounts = { minAmount: Money; maxAmount: Money; step: bigint }

export function carriesAmount({ minAmount, maxAmount, step }: CarriedAmounts, amount: bigint): boolean {
  return amount >= minAmount && amount <= maxAmount && amount % step === 0n
}

/** The amounts if the provider's configuration is unknown. Our directory has no limits, so the general ones apply. */
export function amountsOfDirectory(operator: Pick<RailOperator, 'currency' | 'decimals'>): CarriedAmounts {
  return { minAmount: toMoney(1n), maxAmount: amountMax, step: stepOf(operator) }
}

/** The smallest amount that the operator carries, in the minor unit: 100 for whole shillings, 1 for kobo. */
function stepOf({ currency, decimals }: Pick<RailOperator, 'currency' | 'decimals'>): bigint {
  return 10n ** BigInt(decimalsOf(currency) - decimals)
}

export type AmountFault =
  | { kind: 'amount-step'; step: bigint }
  | { kind: 'amount-range'; step: bigint; ranges: Pick<CarriedAmounts, 'minAmount' | 'maxAmount'>[] }

/** Undefined if a rail carries the amount, or if no rail serves the operator at all. */
export function amountFaultOf(offers: readonly CarriedAmounts[], amount: bigint): AmountFault | undefined {
  if (offers.length === 0 || offers.some((offer) => carriesAmount(offer, amount))) return undefined
  const wide = offers.filter(({ minAmount, maxAmount }) => amount >= minAmount && amount <= maxAmount)
  const steps = (wide.length === 0 ? offers : wide).map((one) => one.step)
  const step = steps.reduce((least, one) => (one < least ? one : least))
  if (wide.length > 0) return { kind: 'amount-step', step }
  return { kind: 'amount-range', step, ranges: offers.map(({ minAmount, maxAmount }) => ({ minAmount, maxAmount })) }
}

/** `of` returns undefined if the rail's configuration is not known, and null if the account lacks the operator. */
export type KnownOffers = {
  of(rail: string, port: MomoPort, operator: RailOperator): CarriedAmounts | null | undefined
}

export const unknownOffers: KnownOffers = { of: () => undefined }

const claimDue = statement(
  'rails.claim_offers',
  `insert into rail_offers (environment, rail, due_at) select v.environment, v.rail, $4
     from unnest($1::text[], $2::text[]) as v (environment, rail) order by v.environment, v.rail
   on conflict (environment, rail) do update set due_at = excluded.due_at where rail_offers.due_at <= $3
   returning environment, rail`,
)

const storeOffers = statement(
  'rails.store_offers',
  `update rail_offers set offers = $3::jsonb, read_at = $4, due_at = $5 where environment = $1 and rail = $2`,
)

const selectOffers = statement(
  'rails.offers',
  `select environment, rail, offers from rail_offers
    where environment = any($1::text[]) and rail = any($2::text[]) and read_at > $3 and offers is not null`,
)

type StoredOffer = Omit<OperatorOffer, 'minAmount' | 'maxAmount'> & { minAmount: string; maxAmount: string }
type OffersRow = RailName & { offers: StoredOffer[] }

export type OffersSource = RailName & {
  read(
    operators: readonly RailOperator[],
  ): Promise<{ kind: 'known'; offers: OperatorOffer[] } | { kind: 'unavailable'; detail: string }>
}

export const readEveryMs = 10 * minuteMs
/** A provider that could not be asked is asked again after this time. It is also the lease of the process that asks. */
const askAgainAfterMs = minuteMs
/**
 * A stored configuration counts for a day, because it may be wrong after a longer outage. Without one, the provider
 * itself refuses the amounts that it does not carry.
 */
const knownForMs = 24 * hourMs

export type OffersKeeper = {
  known: KnownOffers
  load(): Promise<void>
  refresh(): Promise<void>
}

type Keeping = { sources: readonly OffersSource[]; operators: readonly RailOperator[] }

export function createOffersKeeper(
  ctx: Context,
  sources: () => readonly OffersSource[],
  operators: readonly RailOperator[],
): OffersKeeper {
  let byRail = new Map<string, ReadonlyMap<string, CarriedAmounts>>()

  async function load(): Promise<void> {
    const rows = await findOffers(ctx, sources())
    byRail = new Map(rows.map(({ rail, offers }) => [rail, new Map(offers.map(amountsOfRow))]))
  }

  return {
    known: {
      of(rail, port, { slug }) {
        const offers = byRail.get(rail)
        return offers === undefined ? undefined : (offers.get(`${port} ${slug}`) ?? null)
      },
    },
    load,
    async refresh() {
      await askDue(ctx, { sources: sources(), operators })
      await load()
    },
  }
}

function amountsOfRow({ port, operator, step, ...limits }: StoredOffer): [string, CarriedAmounts] {
  const amounts = { minAmount: toMoney(BigInt(limits.minAmount)), maxAmount: toMoney(BigInt(limits.maxAmount)) }
  return [`${port} ${operator}`, { ...amounts, step: BigInt(step) }]
}

const namesOf = (sources: readonly RailName[]) => [
  sources.map(({ environment }) => environment),
  sources.map(({ rail }) => rail),
]

function findOffers({ db, clock }: Context, sources: readonly RailName[]): Promise<OffersRow[]> {
  return db.query<OffersRow>(selectOffers, [...namesOf(sources), new Date(clock.now() - knownForMs)])
}

async function askDue(ctx: Context, { sources, operators }: Keeping): Promise<void> {
  const nowMs = ctx.clock.now()
  const times = [new Date(nowMs), new Date(nowMs + askAgainAfterMs)]
  const claimed = await ctx.db.query<RailName>(claimDue, [...namesOf(sources), ...times])
  const due = sources.filter((one) => claimed.some((name) => name.rail === one.rail))
  await Promise.all(due.map((source) => askOne(ctx, source, operators)))
}

/** Short, because a stopping process waits for the answer. */
const answerMsMax = 5_000
const silence = { kind: 'unavailable' as const, detail: `there was no answer within ${answerMsMax} ms` }

async function askOne(
  { db, clock, log }: Context,
  { environment, rail, read }: OffersSource,
  operators: Keeping['operators'],
) {
  const asking = read(operators)
  const answer = (await finishesWithin(answerMsMax, asking)) ? await asking : silence
  if (answer.kind === 'unavailable')
    return log.warn(
      { rail, detail: answer.detail },
      'could not read the operators of a rail; the last known limits apply',
    )
  const nowMs = clock.now()
  const offers = answer.offers.map((one) => ({ ...one, minAmount: `${one.minAmount}`, maxAmount: `${one.maxAmount}` }))
  const times = [new Date(nowMs), new Date(nowMs + readEveryMs)]
  await db.query(storeOffers, [environment, rail, JSON.stringify(offers), ...times])
}
