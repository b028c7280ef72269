// What a window proves once its lists are here: of a whole day, that all we paid is listed, that it cost what was agreed,
// that the provider settled what came in, and that our float book comes to what it holds. A fresh window proves only what it holds now, because lists are
// late.

import type { Context } from '#base/context.ts'
import { dayMs } from '#base/durations.ts'
import type { Kobo } from '#base/money.ts'
import { findByRailReferences, type FoundByRail } from '#payments/by-rail.ts'
import type { Payments } from '#payments/payments.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { BreakFact, Healed } from './break.ts'
import { healed, openBreaks } from './breaks.ts'
import { provedDay, type OpenCheck } from './check.ts'
import { floatProof, type FloatProof } from './prove-float.ts'
import { settledProof } from './prove-settled.ts'
import { findOpenOfKind } from './sql-breaks.ts'
import { deleteLines } from './sql-lines.ts'
import { costsOfDay, findMissingThere } from './sql-proofs.ts'

/** What the provider agreed to take for a payout; undefined where nobody wrote that down. */
export type AgreedCost = (rail: string, amount: Kobo) => Kobo | undefined

export type Prover = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  laneNumbers: () => Promise<number[]>
  agreedCost: AgreedCost
}

export type Proof = { kind: 'done'; balance: bigint | null } | { kind: 'unavailable'; detail: string }

const missingMax = 500
const costsMax = 10_000
/** What we say was paid may be missing from a list for so long. */
const lateMs = dayMs
/** Lines are kept for longer than anybody returns money. */
const keptMs = 400 * dayMs
const deletedAtOnce = 5_000

export async function prove(prover: Prover, check: OpenCheck): Promise<Proof> {
  const { ctx, rails } = prover
  const { environment, rail, loop } = check
  const float = rails.float(environment, { rail })
  const held = float.kind === 'served' ? await float.port.balance() : undefined
  if (held?.kind === 'unavailable') return held
  const balance = held?.amount ?? null
  if (loop === 'near') return { kind: 'done', balance }
  const proofs = [await floatProof(ctx, check, balance), await settledProof(ctx, check)]
  const unlisted = [...(await missingThere(prover, check)), ...(await feeFacts(prover, check))]
  const healing = (await Promise.all(proofs.map((proof) => goneOf(ctx, check, proof)))).flat()
  await ctx.db.transaction(async (tx) => {
    healed(ctx, tx, check, healing)
    await openBreaks(ctx, tx, check, [...proofs.flatMap(({ facts }) => facts), ...unlisted])
  })
  await forget(ctx, check)
  return { kind: 'done', balance }
}

/** Open breaks that the proof looked at again and did not find again. */
async function goneOf(ctx: Context, check: OpenCheck, { kind, facts, isGone }: FloatProof): Promise<Healed[]> {
  const still = new Set(facts.map(({ subject }) => subject))
  const open = await findOpenOfKind(ctx.db, check, kind, missingMax)
  return open
    .filter((one) => !still.has(one.subject) && isGone(one))
    .map(({ subject }) => ({ kind, subject, note: 'it agrees now' }))
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

async function forget(ctx: Context, check: OpenCheck): Promise<void> {
  const before = new Date(ctx.clock.now() - keptMs)
  for (const list of ['payouts', 'deposits', 'ledger'])
    await deleteLines(ctx.db, check, { list, before, limit: deletedAtOnce })
}
