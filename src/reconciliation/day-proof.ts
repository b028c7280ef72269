// Proves the window of time of a check after the provider's lists were fetched and compared. For a whole day: the
// provider lists every payout that we paid, costs are as agreed, incoming money was settled, and the float book (what
// the provider should hold for us) matches the balance. Then old lines are deleted. The check of the last minutes
// (`near`) only reads the balance, because lists are late.

import { bookFloat, hasFraction, heldByBook, openingSubject, readFloat, totalFloat } from '#ledger/float.ts'
import { findByRailReferences, type FoundByRail } from '#payments/rail-notice.ts'
import type { Payments } from '#payments/service.ts'
import type { Context } from '#platform/context.ts'
import { statement, type Queryable, type Statement } from '#platform/db/db.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { type Currency, type Money, toMoney, unitOf } from '#platform/money.ts'
import type { AgreedCost } from '#rails/choose.ts'
import type { RailName, Wallet } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { provedDay, underWayMs, type OpenCheck } from './schedule.ts'
import { deleteLines } from './lines.ts'
import {
  type BreakFact,
  type BreakKind,
  closeResolved,
  findOpenOfKind,
  type ResolvedBreak,
  isAbout,
  openBreaks,
  type RailBreak,
  subjectOf,
} from './mismatches.ts'
import { settledProof } from './settlement.ts'
import { walletProof } from './wallets.ts'

export type TimeWindow = { fromAt: Date; toAt: Date }

type ReadWindow<R> = (db: Queryable, name: RailName, window: TimeWindow, limit: number) => Promise<R[]>

function readWindow<R extends object>(what: Statement): ReadWindow<R> {
  return (db, { environment, rail }, { fromAt, toAt }, limit) =>
    db.query<R>(what, [environment, rail, fromAt, toAt, limit])
}

// Uses the index float_movement_at, and a probe of rail_line_reference for each row (see lines.ts).
const missingThereQuery = statement(
  'reconcile.missing_there',
  `select f.lane, f.reference, f.amount, f.currency, f.at from float_movement f
    where f.environment = $1 and f.rail = $2 and f.kind = 'payout' and f.at >= $3 and f.at < $4
      and not exists (
        select 1 from (
          select environment, rail, list, reference from rail_line
           where (environment, rail, list, reference) >= (f.environment, f.rail, 'payouts', f.reference)
           order by environment, rail, list, reference limit 1) as l
         where l.environment = f.environment and l.rail = f.rail and l.list = 'payouts' and l.reference = f.reference)
    order by f.at limit $5`,
)

type MissingThere = { lane: number; reference: string; amount: Money; currency: Currency; at: Date }

const findMissingThere = readWindow<MissingThere>(missingThereQuery)

const costsIn = statement(
  'reconcile.costs',
  `select currency, amount, fee, count(*) as count from rail_line
    where environment = $1 and rail = $2 and list = 'payouts' and at >= $3 and at < $4 and state = 'succeeded'
      and fee is not null
    group by currency, amount, fee limit $5`,
)

type CostRow = { currency: string; amount: Money; fee: Money; count: bigint }

const costsOfDay = readWindow<CostRow>(costsIn)

// The first or last line since a time, by the index rail_line_at. Of several lines at the same moment, the one with the
// first or last id counts; a shorter id comes first, as a smaller number does.
const edgeOf = (order: 'asc' | 'desc'): string =>
  `select at, balance_after as "balanceAfter", case direction when 'in' then amount else -amount end as change
     from rail_line
    where environment = $1 and rail = $2 and list = 'ledger' and currency = $4 and balance_after is not null and at = (
      select at from rail_line
       where environment = $1 and rail = $2 and list = 'ledger' and currency = $4 and at >= $3 and balance_after is not null
       order by at ${order} limit 1)
    order by length(line_id) ${order}, line_id ${order} limit 1`

const firstChange = statement('reconcile.first_change', edgeOf('asc'))
const lastChange = statement('reconcile.last_change', edgeOf('desc'))

type BalanceChange = { at: Date; balanceAfter: bigint; change: bigint }

async function findChanges(
  db: Queryable,
  { environment, rail }: RailName,
  { since, currency }: { since: Date; currency: Currency },
): Promise<{ first: BalanceChange; last: BalanceChange } | undefined> {
  const values = [environment, rail, since, currency]
  const [[first], [last]] = await Promise.all([
    db.query<BalanceChange>(firstChange, values),
    db.query<BalanceChange>(lastChange, values),
  ])
  return first === undefined || last === undefined ? undefined : { first, last }
}

// Compares what payouts changed in the provider's ledger (`rail_line`) and in our float book (`float_movement`). One
// side may be missing for a while, because the list is late or the payment has not ended. Money that left before
// reconciliation began is part of the opening balance. Only payouts with a recent movement, a recent line, or a line
// from before reconciliation can differ, so the query finds these payouts by the indexes on time. It then finds the
// other rows of each payout by its reference, in the order of an index, because the planner would otherwise join the
// payouts with all rows.
const openOnes = statement(
  'reconcile.open_payouts',
  `with listed_then as materialized (
     select reference as line_id from rail_line
      where environment = $1 and rail = $2 and list = 'ledger' and at > $4 and cause = 'payout'
     union
     select reference from rail_line
      where environment = $1 and rail = $2 and list = 'ledger' and at < $3 and cause = 'payout'),
   fresh as materialized (
     select reference from float_movement
      where environment = $1 and rail = $2 and at > $4 and kind in ('payout', 'payout_cost', 'reversal')
     union
     select p.reference from listed_then as k
      cross join lateral (
        select * from rail_line
         where (environment, rail, list, line_id) >= ($1, $2, 'payouts', k.line_id)
         order by environment, rail, list, line_id limit 1) as p
      where p.environment = $1 and p.rail = $2 and p.list = 'payouts' and p.line_id = k.line_id),
   listed as (
     select fresh.reference, sum(case l.direction when 'in' then l.amount else -l.amount end) as change,
            min(l.at) as first_at, max(l.at) as last_at
       from fresh
      cross join lateral (
        select * from rail_line
         where (environment, rail, list, reference) >= ($1, $2, 'payouts', fresh.reference)
         order by environment, rail, list, reference limit 4) as p
      cross join lateral (
        select * from rail_line
         where (environment, rail, list, reference) >= ($1, $2, 'ledger', p.line_id)
         order by environment, rail, list, reference limit 16) as l
      where p.environment = $1 and p.rail = $2 and p.list = 'payouts' and p.reference = fresh.reference
        and l.environment = $1 and l.rail = $2 and l.list = 'ledger' and l.reference = p.line_id and l.cause = 'payout'
        and l.currency = $5
      group by fresh.reference),
   booked as (
     select fresh.reference, sum(case m.credit when 'balance' then m.amount else -m.amount end) as change,
            max(m.at) as last_at
       from fresh
      cross join lateral (
        select * from float_movement
         where (environment, rail, reference) >= ($1, $2, fresh.reference)
         order by environment, rail, reference limit 16) as m
      where m.environment = $1 and m.rail = $2 and m.reference = fresh.reference and m.currency = $5
        and m.kind in ('payout', 'payout_cost', 'reversal')
      group by fresh.reference)
   select coalesce(sum(coalesce(booked.change, 0)
            - case when listed.first_at < $3 then 0 else coalesce(listed.change, 0) end), 0)::bigint as difference
     from listed full join booked on booked.reference = listed.reference
    where (listed.first_at < $3 and booked.change is not null)
       or (listed.change is null and booked.last_at > $4)
       or (listed.first_at >= $3 and booked.change is null and (listed.last_at > $4 or listed.change = 0))`,
)

/** The amount by which the book exceeds the provider's balance because of payouts in flight. */
export async function sumOpenPayouts(
  db: Queryable,
  { environment, rail }: RailName,
  { beganAt, lateSince, currency }: { beganAt: Date; lateSince: Date; currency: Currency },
): Promise<bigint> {
  const [row] = await db.query<{ difference: bigint }>(openOnes, [environment, rail, beganAt, lateSince, currency])
  return row?.difference ?? 0n
}

/** A movement is committed seconds after its date, so no movement that is an hour old can be missing from a total. */
const completeMs = hourMs

/**
 * The mismatches that a proof found. `isGone`: true for an open mismatch that the proof checked again; it closes unless the
 * proof found it once more.
 */
export type FloatProof = { kind: BreakKind; facts: BreakFact[]; isGone: (open: RailBreak) => boolean }

/** Compares the float book with the provider's balance: the difference must equal the payouts in flight. */
async function floatProof(ctx: Context, check: OpenCheck, held: Held): Promise<FloatProof> {
  const facts = await floatFacts(ctx, check, held)
  return {
    kind: 'float',
    facts: facts ?? [],
    isGone: ({ subject }) => facts?.length === 0 && isAbout(subject, held.currency),
  }
}

type Held = { currency: Currency; balance: bigint | null }

/** Undefined if the provider tells no balance, which proves nothing. */
async function floatFacts(
  ctx: Context,
  check: OpenCheck,
  { currency, balance }: Held,
): Promise<BreakFact[] | undefined> {
  const { environment, rail, beganAt, toAt } = check
  const changes = await findChanges(ctx.db, check, { since: beganAt, currency })
  const before = changes === undefined ? balance : changes.first.balanceAfter - changes.first.change
  const held = changes?.last.balanceAfter ?? balance
  if (before === null || held === null) return undefined
  await bookOpening(ctx, check, { currency, balance: before })
  const found = await readFloat(ctx.db, { environment, rail })
  const book = heldByBook(found, { currency }) ?? 0n
  const lateSince = new Date(ctx.clock.now() - underWayMs)
  const explained = await sumOpenPayouts(ctx.db, check, { beganAt, lateSince, currency })
  const unexplained = book - held - explained
  const tolerated = hasFraction(found, { currency }) ? roundingMost : 0n
  if (unexplained <= tolerated && unexplained >= -tolerated) return []
  const subject = subjectOf(provedDay(check).name, currency)
  const fact = `our book has ${book} ${unitOf(currency)} and the provider ${held}; ${explained} of it is under way, ${unexplained} is unexplained`
  return [{ kind: 'float', subject, reference: subject, amount: unexplained, currency, fact, aboutAt: toAt }]
}

/** Tolerated if the provider counts fractions, because the opening, our book and the provider's balance are rounded. */
const roundingMost = 2n

/** Books the balance at the start of reconciliation once; zero or less is not booked. */
async function bookOpening(
  ctx: Context,
  { environment, rail, beganAt }: OpenCheck,
  { currency, balance }: { currency: Currency; balance: bigint },
): Promise<void> {
  if (balance <= 0n) return
  const subject = openingSubject(currency)
  const cause = {
    environment,
    rail,
    currency,
    country: null,
    subject,
    reference: subject,
    lane: 0,
    at: beganAt,
  }
  await ctx.db.transaction(async (tx) => bookFloat(tx, 'opening', cause, toMoney(balance)))
}

export type Prover = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  laneNumbers: () => Promise<number[]>
  agreedCost: AgreedCost
}

type ProofOutcome = { kind: 'done'; wallets: Wallet[] | null } | { kind: 'unavailable'; detail: string }

const missingMax = 500
const costsMax = 10_000
const lateMs = dayMs
/** Lines are kept longer than a provider may return money. */
const keptMs = 400 * dayMs
const deletedAtOnce = 5_000
/** One proof may delete a million lines of each list, more than a rail has in a day. So the table stops growing. */
const deletionsMax = 200
/** The time for queries to the rail. The lease of a check is longer, even if the last query takes its 20 s. */
const askingMsMax = 2 * minuteMs

export async function proveWindow(prover: Prover, check: OpenCheck): Promise<ProofOutcome> {
  const { ctx, rails } = prover
  const { environment, rail, loop } = check
  const float = rails.float(environment, { rail })
  const held = float.kind === 'served' ? await float.port.balance() : undefined
  if (held?.kind === 'unavailable') return held
  const wallets = held?.wallets ?? null
  if (loop === 'near') return { kind: 'done', wallets }
  await totalFloat(ctx.db, { environment, rail }, new Date(ctx.clock.now() - completeMs))
  const proofs: FloatProof[] = []
  for (const one of await heldByCurrency(ctx, check, wallets))
    proofs.push(await floatProof(ctx, check, one), await settledProof(ctx, check, one.currency))
  if (wallets?.some(({ country }) => country !== undefined) === true)
    proofs.push(await walletProof(ctx, check, { wallets, lanes: await prover.laneNumbers() }))
  const unlisted = [...(await missingThere(prover, check)), ...(await feeFacts(prover, check))]
  const resolved = (await Promise.all(proofs.map((proof) => findResolved(ctx, check, proof)))).flat()
  await ctx.db.transaction(async (tx) => {
    closeResolved(ctx, tx, check, resolved)
    await openBreaks(ctx, tx, check, [...proofs.flatMap(({ facts }) => facts), ...unlisted])
  })
  await forget(ctx, check)
  return { kind: 'done', wallets }
}

/**
 * The currencies of the provider's wallets and of our book, each with the provider's balance. A currency with a wallet for
 * each country is left out: each wallet is compared with its own book (wallets.ts).
 */
async function heldByCurrency(
  ctx: Context,
  { environment, rail }: RailName,
  wallets: Wallet[] | null,
): Promise<Held[]> {
  const book = await readFloat(ctx.db, { environment, rail })
  const found = new Set<Currency>([...book, ...(wallets ?? [])].map(({ currency }) => currency))
  if (found.size === 0) found.add('NGN')
  for (const { currency, country } of wallets ?? []) if (country !== undefined) found.delete(currency)
  return [...found].map((currency) => {
    return { currency, balance: wallets?.find((wallet) => wallet.currency === currency)?.amount ?? null }
  })
}

async function findResolved(
  ctx: Context,
  check: OpenCheck,
  { kind, facts, isGone }: FloatProof,
): Promise<ResolvedBreak[]> {
  const still = new Set(facts.map(({ subject }) => subject))
  const open = await findOpenOfKind(ctx.db, check, kind, missingMax)
  return open
    .filter((one) => !still.has(one.subject) && isGone(one))
    .map(({ subject }) => ({ kind, subject, note: 'it agrees now' }))
}

/**
 * Reports payouts that we paid but the provider does not list. The business was told that they were paid, so we first
 * query the rail about each, one after the other because of its rate limit. After `askingMsMax`, the remaining payouts
 * are reported without a query.
 */
async function missingThere({ ctx, payments, laneNumbers }: Prover, check: OpenCheck): Promise<BreakFact[]> {
  const { environment, rail, fromAt, toAt } = check
  const before = new Date(Math.min(toAt.getTime(), ctx.clock.now() - lateMs))
  if (before <= fromAt) return []
  const missing = await findMissingThere(ctx.db, check, { fromAt, toAt: before }, missingMax)
  const lanes = missing.length === 0 ? [] : await laneNumbers()
  const references = missing.map(({ reference }) => reference)
  const found =
    missing.length === 0 ? new Map<string, FoundByRail>() : await findByRailReferences(ctx, lanes, references)
  const facts: BreakFact[] = []
  const askUntilMs = ctx.clock.now() + askingMsMax
  for (const { reference, amount, currency, at } of missing) {
    const payment = found.get(reference)?.payment
    // A payout that has been returned need not be listed as paid.
    if (payment?.status === 'REVERSED') continue
    if (ctx.clock.now() < askUntilMs) {
      const { kind } = await payments.hear({ environment, rail, railReference: reference, lanes })
      if (kind === 'settled') continue
    }
    const fact = `we told its business ${at.toISOString()} that it was paid, and the provider does not list it`
    const ours = payment?.reference ?? reference
    facts.push({ kind: 'missing-there', subject: reference, reference: ours, amount, currency, fact, aboutAt: at })
  }
  return facts
}

async function feeFacts({ ctx, agreedCost }: Prover, check: OpenCheck): Promise<BreakFact[]> {
  const { fromMs, toMs, name } = provedDay(check)
  const day = { fromAt: new Date(fromMs), toAt: new Date(toMs) }
  const drifts = new Map<string, { drift: bigint; payouts: bigint }>()
  for (const { currency, amount, fee, count } of await costsOfDay(ctx.db, check, day, costsMax)) {
    const agreed = agreedCost(check.rail, amount, currency)
    if (agreed === undefined || agreed === fee) continue
    const { drift, payouts } = drifts.get(currency) ?? { drift: 0n, payouts: 0n }
    drifts.set(currency, { drift: drift + (fee - agreed) * count, payouts: payouts + count })
  }
  return [...drifts].map(([currency, { drift, payouts }]) => {
    const subject = subjectOf(name, currency)
    const fact = `${payouts} payouts of ${name} cost ${drift} ${unitOf(currency)} more than the table of costs says`
    return { kind: 'fee', subject, reference: subject, amount: drift, currency, fact, aboutAt: day.fromAt }
  })
}

async function forget(ctx: Context, check: OpenCheck): Promise<void> {
  const before = new Date(ctx.clock.now() - keptMs)
  for (const list of ['payouts', 'deposits', 'ledger'])
    for (let deletions = 0; deletions < deletionsMax; deletions += 1)
      if ((await deleteLines(ctx.db, check, { list, before, limit: deletedAtOnce })) === 0) break
}
