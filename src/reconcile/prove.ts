// What a window proves once its lists are here: of a whole day, that all we paid is listed, that it cost what was agreed,
// that the balances of the ledger follow from each other, and that our float book comes to what the provider holds. Of what
// is fresh, nothing but what it holds now: lists are late.

import type { Context } from '#base/context.ts'
import { dayMs } from '#base/durations.ts'
import type { Kobo } from '#base/money.ts'
import { findByRailReferences, type FoundByRail } from '#payments/by-rail.ts'
import type { Payments } from '#payments/payments.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { BreakFact, BreakKind } from './break.ts'
import { healed, openBreaks } from './breaks.ts'
import { provedDay, type OpenCheck } from './check.ts'
import { floatFacts } from './prove-float.ts'
import { findOpenOfKind } from './sql-breaks.ts'
import { deleteLines } from './sql-lines.ts'
import { costsOfDay, findGaps, findMissingThere, type Window } from './sql-proofs.ts'

/** What the provider agreed to take for a payout; undefined where nobody wrote that down. */
export type AgreedCost = (rail: string, amount: Kobo) => Kobo | undefined

export type Prover = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  laneNumbers: () => Promise<number[]>
  agreedCost: AgreedCost
}

export type Proof =
  | { kind: 'done'; balance: bigint | null }
  | { kind: 'unavailable'; detail: string }
  /** The ledger is to be fetched once more. */
  | 'again'

const gapsMax = 100
const missingMax = 500
const costsMax = 10_000
/** What we say was paid may be missing from a list for so long. */
const lateMs = dayMs
/** Lines are kept for longer than anybody returns money. */
const keptMs = 400 * dayMs
const deletedAtOnce = 5_000

export async function prove(prover: Prover, check: OpenCheck): Promise<Proof> {
  const { ctx, rails } = prover
  const { environment, rail, loop, step } = check
  const float = rails.float(environment, { rail })
  const held = float.kind === 'served' ? await float.port.balance() : undefined
  if (held?.kind === 'unavailable') return held
  const balance = held?.amount ?? null
  if (loop === 'near') return { kind: 'done', balance }
  const gaps = await gapsOf(ctx, check)
  if (gaps.length > 0 && step === 'prove') return 'again'
  const proofs: { kind: BreakKind; facts: BreakFact[] }[] = [
    { kind: 'chain', facts: gaps },
    { kind: 'float', facts: await floatFacts(ctx, check, balance) },
  ]
  const unlisted = [...(await missingThere(prover, check)), ...(await feeFacts(prover, check))]
  const healing = (await Promise.all(proofs.map((proof) => goneOf(ctx, check, proof)))).flat()
  await ctx.db.transaction(async (tx) => {
    healed(ctx, tx, check, healing)
    await openBreaks(ctx, tx, check, [...proofs.flatMap(({ facts }) => facts), ...unlisted])
  })
  await forget(ctx, check)
  return { kind: 'done', balance }
}

/** Open breaks about this window which are no longer so. That of a float is about the whole book. */
async function goneOf(ctx: Context, check: OpenCheck, { kind, facts }: { kind: BreakKind; facts: BreakFact[] }) {
  const still = new Set(facts.map(({ subject }) => subject))
  const open = await findOpenOfKind(ctx.db, check, kind, missingMax)
  const isSeen = (aboutAt: Date): boolean => kind === 'float' || (aboutAt >= check.fromAt && aboutAt <= check.toAt)
  return open
    .filter(({ subject, aboutAt }) => isSeen(aboutAt) && !(kind === 'float' ? facts.length > 0 : still.has(subject)))
    .map(({ subject }) => ({ kind, subject, note: 'it agrees now' }))
}

async function gapsOf(ctx: Context, check: OpenCheck): Promise<BreakFact[]> {
  const gaps = await findGaps(ctx.db, check, windowOf(check), gapsMax)
  return gaps.map(({ lineId, previousId, at, expected, balanceAfter }) => ({
    kind: 'chain',
    subject: `${previousId} ${lineId}`,
    reference: lineId,
    amount: balanceAfter - expected,
    fact: `after line ${previousId} line ${lineId} should leave ${expected} kobo, and leaves ${balanceAfter}`,
    aboutAt: at,
  }))
}

/** We told clients that these were paid. Their rail is asked once more about each. */
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
  for (const { reference, amount, at } of missing) {
    const { kind } = await payments.hear({ environment, rail, railReference: reference, lanes })
    // It was returned, so that it need not be listed as paid.
    if (kind === 'settled') continue
    const fact = `we told its business ${at.toISOString()} that it was paid, and the provider does not list it`
    const ours = found.get(reference)?.payment.reference ?? reference
    facts.push({ kind: 'missing-there', subject: reference, reference: ours, amount, fact, aboutAt: at })
  }
  return facts
}

async function feeFacts({ ctx, agreedCost }: Prover, check: OpenCheck): Promise<BreakFact[]> {
  const { fromMs, toMs, name } = provedDay(check)
  const day = { fromAt: new Date(fromMs), toAt: new Date(toMs) }
  let [drift, payouts] = [0n, 0n]
  for (const { amount, fee, count } of await costsOfDay(ctx.db, check, day, costsMax)) {
    const agreed = agreedCost(check.rail, amount)
    if (agreed === undefined || agreed === fee) continue
    drift += (fee - agreed) * count
    payouts += count
  }
  if (payouts === 0n) return []
  const fact = `${payouts} payouts of ${name} cost ${drift} kobo more than the table of costs says`
  return [{ kind: 'fee', subject: name, reference: name, amount: drift, fact, aboutAt: day.fromAt }]
}

function windowOf({ fromAt, toAt }: OpenCheck): Window {
  return { fromAt, toAt }
}

async function forget(ctx: Context, check: OpenCheck): Promise<void> {
  const before = new Date(ctx.clock.now() - keptMs)
  for (const list of ['payouts', 'deposits', 'ledger'])
    await deleteLines(ctx.db, check, { list, before, limit: deletedAtOnce })
}
