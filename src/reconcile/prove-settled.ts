// The account `receivable` of a float book: a deposit that the provider has owed for longer than two settlements, or for a
// week, is a break. Where the ledger of the provider names the deposits that it settles, each deposit is looked up there, so
// that other money of the same account hides nothing. Otherwise the sums must do.

import type { Context } from '#base/context.ts'
import { dayMs } from '#base/durations.ts'
import { toKobo } from '#base/money.ts'
import { readFloat } from '#ledger/float.ts'
import type { BreakFact } from './break.ts'
import { dayAt, type OpenCheck } from './check.ts'
import type { FloatProof } from './prove-float.ts'
import { findLastSettlement, findUnsettled, isSettlementNamed, sumReceived, type Unsettled } from './sql-settled.ts'

/** Longer than any two settlements, also over holidays. */
const owedMs = 7 * dayMs
/** Deposits are looked up for so long after they are due. */
const lookedUpMs = 14 * dayMs
const unsettledMax = 1_000
const namedMax = 5

export async function settledProof(ctx: Context, check: OpenCheck): Promise<FloatProof> {
  const nowMs = ctx.clock.now()
  const settlements = await lastSettlements(ctx, check, nowMs)
  const dueMs = Math.max(nowMs - owedMs, settlements[1] ?? -Infinity)
  const fromMs = Math.max(dueMs - lookedUpMs, check.beganAt.getTime())
  const window = { fromAt: new Date(fromMs), toAt: new Date(dueMs) }
  const unsettled = fromMs < dueMs ? await findUnsettled(ctx.db, check, window, unsettledMax) : []
  const isNamed = unsettled.length > 0 && (await isSettlementNamed(ctx.db, check, window))
  const facts = isNamed ? factsByDay(unsettled) : await owedFacts(ctx, check, { dueMs, settlements, unsettled })
  return { kind: 'unsettled', facts, isGone: ({ aboutAt }) => aboutAt.getTime() >= dayAt(fromMs).fromMs }
}

/** The beginnings of the last two days on which the provider settled, the later one first. */
async function lastSettlements(ctx: Context, check: OpenCheck, nowMs: number): Promise<number[]> {
  const days: number[] = []
  for (let beforeMs = nowMs; days.length < 2; beforeMs = days.at(-1) ?? 0) {
    const found = await findLastSettlement(ctx.db, check, {
      fromAt: new Date(nowMs - owedMs),
      toAt: new Date(beforeMs),
    })
    if (found === undefined) break
    days.push(dayAt(found.getTime()).fromMs)
  }
  return days
}

function factsByDay(unsettled: Unsettled[]): BreakFact[] {
  return [...Map.groupBy(unsettled, ({ at }) => dayAt(at.getTime()).name)].map(([day, deposits]) => {
    const amount = deposits.reduce((sum, one) => sum + one.amount, 0n)
    const named = deposits.slice(0, namedMax).map(({ subject }) => subject)
    const fact = `${deposits.length} deposits of ${day}, ${amount} kobo, were never settled; the first are ${named.join(', ')}`
    const aboutAt = new Date(dayAt(deposits[0]?.at.getTime() ?? 0).fromMs)
    return { kind: 'unsettled', subject: day, reference: named[0] ?? day, amount, fact, aboutAt }
  })
}

type Owed = { dueMs: number; settlements: number[]; unsettled: Unsettled[] }

/** Without any settlement in its ledger a provider may settle elsewhere, so that a person is told once a month. */
async function owedFacts(
  ctx: Context,
  check: OpenCheck,
  { dueMs, settlements, unsettled }: Owed,
): Promise<BreakFact[]> {
  if (unsettled.length === 0) return []
  const { environment, rail } = check
  const aboutAt = new Date(dueMs)
  const book = await readFloat(ctx.db, { environment, rail })
  const owed = book.find(({ account, currency }) => account === 'receivable' && currency === 'NGN')?.balance ?? 0n
  const overdue = owed - (await sumReceived(ctx.db, check, aboutAt))
  if (overdue <= 0n) return []
  const { name: day } = dayAt(dueMs)
  const subject = settlements.length === 0 ? day.slice(0, 7) : day
  const why = settlements.length === 0 ? 'its ledger shows no settlement' : 'it has settled twice since then'
  const fact = `it owes ${overdue} kobo of deposits from before ${aboutAt.toISOString()}, and ${why}`
  return [{ kind: 'unsettled', subject, reference: subject, amount: toKobo(overdue), fact, aboutAt }]
}
