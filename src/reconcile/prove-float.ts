// The float book against what the provider holds: what they differ by is either under way, and then it is known how much, or
// nobody can explain it.

import type { Context } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import { toKobo } from '#base/money.ts'
import { bookFloat, readFloat, totalFloat } from '#ledger/float.ts'
import type { BreakFact, BreakKind, RailBreak } from './break.ts'
import { provedDay, type OpenCheck } from './check.ts'
import { findChanges, sumOpenPayouts } from './sql-proofs.ts'

/** For so long one side of a payout may be alone. */
const underWayMs = 48 * hourMs

/** A movement is dated when it is decided, and is there seconds later, or never. */
const settledMs = hourMs

/** What is wrong with a float book, and which breaks of the kind are over unless they are among that. */
export type FloatProof = { kind: BreakKind; facts: BreakFact[]; isGone: (open: RailBreak) => boolean }

export async function floatProof(ctx: Context, check: OpenCheck, balance: bigint | null): Promise<FloatProof> {
  const facts = await floatFacts(ctx, check, balance)
  return { kind: 'float', facts, isGone: () => facts.length === 0 }
}

async function floatFacts(ctx: Context, check: OpenCheck, balance: bigint | null): Promise<BreakFact[]> {
  const { environment, rail, beganAt, toAt } = check
  const changes = await findChanges(ctx.db, check, beganAt)
  const before = changes === undefined ? balance : changes.first.balanceAfter - changes.first.change
  const held = changes?.last.balanceAfter ?? balance
  if (before === null || held === null) return []
  await bookOpening(ctx, check, before)
  await totalFloat(ctx.db, { environment, rail }, new Date(ctx.clock.now() - settledMs))
  const found = await readFloat(ctx.db, { environment, rail })
  const book = found.find(({ account }) => account === 'balance')?.balance ?? 0n
  const lateSince = new Date(ctx.clock.now() - underWayMs)
  const explained = await sumOpenPayouts(ctx.db, check, { beganAt, lateSince })
  const unexplained = book - held - explained
  if (unexplained === 0n) return []
  const { name } = provedDay(check)
  const fact = `our book has ${book} kobo and the provider ${held}; ${explained} of it is under way, ${unexplained} is unexplained`
  return [{ kind: 'float', subject: name, reference: name, amount: unexplained, fact, aboutAt: toAt }]
}

/** What the provider held when this rail was looked at first. Booked once; a balance that was less than nothing is not. */
async function bookOpening(ctx: Context, { environment, rail, beganAt }: OpenCheck, balance: bigint): Promise<void> {
  if (balance <= 0n) return
  const cause = {
    environment,
    rail,
    currency: 'NGN' as const,
    subject: 'opening',
    reference: 'opening',
    lane: 0,
    at: beganAt,
  }
  await ctx.db.transaction(async (tx) => bookFloat(tx, 'opening', cause, toKobo(balance)))
}
