// Finds deposits that a provider has not settled: compares deposits in the float book with the settlements of the
// provider's ledger.

import { readFloat, receivableIn } from '#ledger/float.ts'
import type { Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { type Currency, type Money, toMoney, unitOf } from '#platform/money.ts'
import type { RailName } from '#rails/rail.ts'
import { dayAt, type OpenCheck } from './schedule.ts'
import { type BreakFact, findOpenOfKind, isAbout, type RailBreak, subjectOf } from './mismatches.ts'
import type { FloatProof, TimeWindow } from './day-proof.ts'

type CurrencyWindow = TimeWindow & { currency: Currency }

const lastSettlement = statement(
  'reconcile.last_settlement',
  `select at from rail_line
    where environment = $1 and rail = $2 and list = 'ledger' and at >= $3 and at < $4 and currency = $5 and direction = 'in'
      and cause in ('deposit', 'settlement')
    order by at desc limit 1`,
)

async function findLastSettlement(
  db: Queryable,
  { environment, rail }: RailName,
  { fromAt, toAt, currency }: CurrencyWindow,
): Promise<Date | undefined> {
  return (await db.query<{ at: Date }>(lastSettlement, [environment, rail, fromAt, toAt, currency]))[0]?.at
}

// Uses the index float_movement_at, and a probe of rail_line_reference for each deposit. The condition also compares
// the cause, because lines of other causes may have the same reference.
const settlementOf = `(
  select 1 from (
    select environment, rail, list, reference, cause, direction from rail_line
     where (environment, rail, list, reference) >= (f.environment, f.rail, 'ledger', f.subject)
     order by environment, rail, list, reference limit 16) as l
   where l.environment = f.environment and l.rail = f.rail and l.list = 'ledger' and l.reference = f.subject
     and l.direction = 'in' and l.cause in ('deposit', 'settlement'))`
const depositsIn = `float_movement f
    where f.environment = $1 and f.rail = $2 and f.at >= $3 and f.at < $4 and f.kind = 'deposit' and f.currency = $5`

const unsettledOnes = statement(
  'reconcile.unsettled',
  `select f.subject, f.amount, f.at from ${depositsIn} and not exists ${settlementOf} order by f.at limit $6`,
)

type UnsettledLine = { subject: string; amount: Money; at: Date }

function findUnsettled(
  db: Queryable,
  { environment, rail }: RailName,
  { fromAt, toAt, currency }: CurrencyWindow,
  limit: number,
): Promise<UnsettledLine[]> {
  return db.query<UnsettledLine>(unsettledOnes, [environment, rail, fromAt, toAt, currency, limit])
}

const namedOnes = statement(
  'reconcile.settlement_named',
  `select f.subject from ${depositsIn} and exists ${settlementOf} limit 1`,
)

async function isSettlementNamed(
  db: Queryable,
  { environment, rail }: RailName,
  { fromAt, toAt, currency }: CurrencyWindow,
): Promise<boolean> {
  return (await db.query(namedOnes, [environment, rail, fromAt, toAt, currency])).length > 0
}

const received = statement(
  'reconcile.received',
  `select coalesce(sum(case credit when 'receivable' then amount else -amount end), 0)::bigint as sum from float_movement
    where environment = $1 and rail = $2 and at >= $3 and currency = $4
      and kind in ('deposit', 'deposit_cost', 'unowned', 'owned')`,
)

async function sumReceived(
  db: Queryable,
  { environment, rail }: RailName,
  { since, currency }: { since: Date; currency: Currency },
): Promise<bigint> {
  return (await db.query<{ sum: bigint }>(received, [environment, rail, since, currency]))[0]?.sum ?? 0n
}

/** A deposit is overdue after this time at the latest. Two settlements take less, even with holidays. */
const owedMs = 7 * dayMs
/** Deposits are checked for this long after they are due. */
const lookedUpMs = 14 * dayMs
const unsettledMax = 1_000
const namedMax = 5

/**
 * Proves the account `receivable` of a float book: a deposit that the provider has owed for more than two
 * settlements, or for a week, is a mismatch. If the provider's ledger names the deposits that it settles, each
 * deposit is looked up there, so that other money in the account cannot hide a missing one. Otherwise only the sums are
 * compared.
 */
export async function settledProof(ctx: Context, check: OpenCheck, currency: Currency): Promise<FloatProof> {
  const nowMs = ctx.clock.now()
  const settlements = await lastSettlements(ctx, check, { nowMs, currency })
  const dueMs = Math.max(nowMs - owedMs, settlements[1] ?? -Infinity)
  const fromMs = Math.max(dueMs - lookedUpMs, check.beganAt.getTime())
  const window = { fromAt: new Date(fromMs), toAt: new Date(dueMs), currency }
  const unsettled = fromMs < dueMs ? await findUnsettled(ctx.db, check, window, unsettledMax) : []
  const isNamed = unsettled.length > 0 && (await isSettlementNamed(ctx.db, check, window))
  const found = await findOpenOfKind(ctx.db, check, 'unsettled', unsettledMax)
  const open = found.find((one) => isAbout(one.subject, currency) && isOfSums(one))
  const facts = isNamed
    ? factsByDay(unsettled, currency)
    : await owedFacts(ctx, check, { dueMs, settlements, unsettled, currency, open })
  const isGone = (one: RailBreak): boolean =>
    isAbout(one.subject, currency) && (one.aboutAt.getTime() >= dayAt(fromMs).fromMs || (!isNamed && isOfSums(one)))
  return { kind: 'unsettled', facts, isGone }
}

/** The two latest days on which the provider settled, within the past week: the start of each, the later one first. */
async function lastSettlements(
  ctx: Context,
  check: OpenCheck,
  { nowMs, currency }: { nowMs: number; currency: Currency },
): Promise<number[]> {
  const days: number[] = []
  for (let beforeMs = nowMs; days.length < 2; beforeMs = days.at(-1) ?? 0) {
    const found = await findLastSettlement(ctx.db, check, {
      fromAt: new Date(nowMs - owedMs),
      toAt: new Date(beforeMs),
      currency,
    })
    if (found === undefined) break
    days.push(dayAt(found.getTime()).fromMs)
  }
  return days
}

function factsByDay(unsettled: UnsettledLine[], currency: Currency): BreakFact[] {
  return [...Map.groupBy(unsettled, ({ at }) => dayAt(at.getTime()).name)].map(([day, deposits]) => {
    const amount = deposits.reduce((sum, one) => sum + one.amount, 0n)
    const named = deposits.slice(0, namedMax).map(({ subject }) => subject)
    const fact = `${deposits.length} deposits of ${day}, ${amount} ${unitOf(currency)}, were never settled; the first are ${named.join(', ')}`
    const aboutAt = new Date(dayAt(deposits[0]?.at.getTime() ?? 0).fromMs)
    const subject = subjectOf(day, currency)
    return { kind: 'unsettled', subject, reference: named[0] ?? day, amount, currency, fact, aboutAt }
  })
}

/** True for a mismatch of sums. The reference of a mismatch of named deposits is the id of a deposit instead. */
function isOfSums({ subject, reference }: RailBreak): boolean {
  return subject === reference
}

type OwedSettlement = {
  dueMs: number
  settlements: number[]
  unsettled: UnsettledLine[]
  currency: Currency
  open: RailBreak | undefined
}

/**
 * A mismatch stays open as long as the provider owes anything that is overdue. If the ledger shows no settlement, the
 * provider may settle elsewhere, so a mismatch that an operator has closed opens again only in another month.
 */
async function owedFacts(
  ctx: Context,
  check: OpenCheck,
  { dueMs, settlements, unsettled, currency, open }: OwedSettlement,
): Promise<BreakFact[]> {
  if (unsettled.length === 0 && open === undefined) return []
  const { environment, rail } = check
  const aboutAt = new Date(dueMs)
  const book = await readFloat(ctx.db, { environment, rail })
  const overdue = receivableIn(book, { currency }) - (await sumReceived(ctx.db, check, { since: aboutAt, currency }))
  if (overdue <= 0n) return []
  const { name: day } = dayAt(dueMs)
  const subject = open?.subject ?? subjectOf(settlements.length === 0 ? day.slice(0, 7) : day, currency)
  const why = whys[settlements.length]
  const fact = `it owes ${overdue} ${unitOf(currency)} of deposits from before ${aboutAt.toISOString()}, and ${why}`
  return [{ kind: 'unsettled', subject, reference: subject, amount: toMoney(overdue), currency, fact, aboutAt }]
}

/** The text for 0, 1 or 2 days of the past week on which the provider settled. */
const whys = ['its ledger shows no settlement', 'it has settled since then', 'it has settled twice since then']
