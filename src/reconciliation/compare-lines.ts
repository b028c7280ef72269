// Compares the lines of a provider's lists that are due for comparison with our records, found by the lines'
// references. A line alone changes no payment. If it differs from our record, the rail is asked for the status, as
// after a notice, and the answer settles the payment, which may credit a collection. Deposits that no notice reported
// are read from the provider again and received. No transaction is open while a provider is asked; the results are
// written in one commit with the finished lines.

import { findKnownMoney } from '#deposits/provider-lookup.ts'
import type { Deposits } from '#deposits/service.ts'
import { bookFloat, findUnowned } from '#ledger/float.ts'
import { findByRailReferences, type RailNoticeOutcome, readRailsLeft } from '#payments/rail-notice.ts'
import type { Payments } from '#payments/service.ts'
import type { Context } from '#platform/context.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { isCurrency, toMoney } from '#platform/money.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { RailStatement } from '#rails/statement.ts'
import type { RailCheck } from './schedule.ts'
import {
  compareLedgerLine,
  statusToConfirm,
  compareCollection,
  comparePayout,
  type ListedPayment,
  laterMs,
  soonMs,
  type Comparison,
  compareDeposit,
  type Doubt,
} from './line-rules.ts'
import { claimLines, findPayoutLine, findPayoutLines, finishLines, type KeptLine } from './lines.ts'
import { type BreakFact, closeResolved, findKnown, openBreaks } from './mismatches.ts'

export type LineComparer = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  deposits: Pick<Deposits, 'receive'>
  laneNumbers: () => Promise<number[]>
}

/** Lines per batch, and the lease of a batch. All its lines query the rail at once, each within the limit of a call. */
const linesAtOnce = 50
const leaseMs = 5 * minuteMs

type ComparedLine = { line: KeptLine; verdict: Comparison }

export async function compareDueLines(
  comparer: LineComparer,
  statement: RailStatement,
  check: RailCheck,
): Promise<number> {
  const { ctx } = comparer
  const nowMs = ctx.clock.now()
  const leaseEnd = new Date(nowMs + leaseMs)
  const lines = await claimLines(ctx.db, check, { now: new Date(nowMs), leaseEnd, limit: linesAtOnce })
  const of = (list: KeptLine['list']): KeptLine[] => lines.filter((line) => line.list === list)
  const collections = await compareCollectionLines(comparer, check, of('deposits'))
  const collected = new Set(collections.map(({ line }) => line))
  const deposits = of('deposits').filter((line) => !collected.has(line))
  const compared = [
    ...(await comparePayoutLines(comparer, check, of('payouts'))),
    ...collections,
    ...(await compareDepositLines(comparer, statement, check, deposits)),
    ...(await compareLedgerLines(comparer, check, of('ledger'))),
  ]
  if (compared.length > 0) await writeResults(ctx, check, leaseEnd, compared)
  return lines.length
}

async function comparePayoutLines(
  comparer: LineComparer,
  check: RailCheck,
  lines: KeptLine[],
): Promise<ComparedLine[]> {
  const { ctx, laneNumbers } = comparer
  if (lines.length === 0) return []
  const lanes = await laneNumbers()
  const references = [...new Set(lines.map(({ reference }) => reference))]
  const before = await findOfRail(ctx, check, lanes, references)
  const reported = new Map(
    lines.flatMap((line) => {
      const found = before.get(line.reference)
      const says = found === undefined ? undefined : statusToConfirm(line, found)
      return says === undefined ? [] : [[line.reference, says] as const]
    }),
  )
  const doubts = new Map<string, Doubt>()
  const asking = [...reported].map(async ([railReference, says]) => {
    const heard = await comparer.payments.hear({ ...nameOf(check), railReference, says, lanes })
    if (isDoubt(heard)) doubts.set(railReference, heard)
  })
  await Promise.all(asking)
  const after = reported.size === 0 ? before : await findOfRail(ctx, check, lanes, references)
  const siblings = Map.groupBy(await findPayoutLines(ctx.db, check, references), ({ reference }) => reference)
  const nowMs = ctx.clock.now()
  return lines.map((line) => {
    const { reference } = line
    const [found, ofReference] = [after.get(reference), siblings.get(reference) ?? []]
    const doubt = doubts.get(reference)
    const question = { line, found, doubt, siblings: ofReference, beganAt: check.beganAt, nowMs }
    return { line, verdict: comparePayout(question) }
  })
}

/** Compares the lines that name a collection of ours; the others are deposits. */
async function compareCollectionLines(
  comparer: LineComparer,
  check: RailCheck,
  lines: KeptLine[],
): Promise<ComparedLine[]> {
  if (lines.length === 0) return []
  const { ctx, payments, laneNumbers } = comparer
  const lanes = await laneNumbers()
  const references = [...new Set(lines.map(({ reference }) => reference))]
  const before = await findOfRail(ctx, check, lanes, references)
  const ours = lines.filter(({ reference }) => before.get(reference)?.payment.kind === 'momo_collection')
  const doubts = new Map<string, Doubt>()
  const asking = ours.map(async (line) => {
    const { reference: railReference } = line
    const found = before.get(railReference)
    if (found?.payment.status === 'SUCCESS') return
    const heard = await payments.hear({ ...nameOf(check), railReference, says: 'succeeded', lanes })
    if (isDoubt(heard)) doubts.set(railReference, heard)
  })
  await Promise.all(asking)
  const after = ours.length === 0 ? before : await findOfRail(ctx, check, lanes, references)
  const nowMs = ctx.clock.now()
  return ours.flatMap((line) => {
    const payment = after.get(line.reference)?.payment
    if (payment === undefined) return []
    return [{ line, verdict: compareCollection({ line, payment, doubt: doubts.get(line.reference), nowMs }) }]
  })
}

function isDoubt(heard: RailNoticeOutcome): heard is RailNoticeOutcome & Doubt {
  return heard.kind === 'unconfirmed' || heard.kind === 'unanswered'
}

/** Payments of this environment that are at this rail, or were there before they failed over. */
async function findOfRail(
  ctx: Context,
  { environment, rail }: RailCheck,
  lanes: number[],
  references: string[],
): Promise<Map<string, ListedPayment>> {
  const found = new Map<string, ListedPayment>()
  for (const [reference, { payment, ...one }] of await findByRailReferences(ctx, lanes, references)) {
    if (one.environment !== environment) continue
    const hasLeft = payment.rail !== rail
    if (hasLeft && !(await readRailsLeft(ctx.db, payment)).some((left) => left.rail === rail)) continue
    found.set(reference, { payment, hasLeft })
  }
  return found
}

/** A rail that does not confirm a return is asked again for this long; after that, the proof of the day shows the difference. */
const returnAskedMs = 7 * dayMs

/**
 * A payout whose money comes back into the balance is a return. The provider's list of payouts might not show it.
 */
async function compareLedgerLines(
  comparer: LineComparer,
  check: RailCheck,
  lines: KeptLine[],
): Promise<ComparedLine[]> {
  const returns = lines.filter(({ cause, direction }) => cause === 'payout' && direction === 'in')
  const lanes = returns.length === 0 ? [] : await comparer.laneNumbers()
  const doubts = new Map<string, Doubt>()
  const hearing = returns.map(async ({ lineId, reference }) => {
    const payout = await findPayoutLine(comparer.ctx.db, check, reference)
    if (payout === undefined || payout.state === 'failed') return
    const { reference: railReference } = payout
    const heard = await comparer.payments.hear({ ...nameOf(check), railReference, says: 'reversed', lanes })
    if (isDoubt(heard)) doubts.set(lineId, heard)
  })
  await Promise.all(hearing)
  const askedSinceMs = comparer.ctx.clock.now() - returnAskedMs
  return lines.map((line) => {
    const verdict = compareLedgerLine(line, check.beganAt)
    const doubt = doubts.get(line.lineId)
    if (doubt === undefined || line.at.getTime() <= askedSinceMs) return { line, verdict }
    return { line, verdict: { ...verdict, againMs: doubt.kind === 'unanswered' ? soonMs : laterMs } }
  })
}

function nameOf({ environment, rail }: RailCheck): Pick<RailCheck, 'environment' | 'rail'> {
  return { environment, rail }
}

async function writeResults(ctx: Context, check: RailCheck, leaseEnd: Date, compared: ComparedLine[]): Promise<void> {
  const name = nameOf(check)
  const nowMs = ctx.clock.now()
  const known = new Map((await findKnown(ctx.db, name, factsOf(compared))).map((one) => [keyOf(one), one.isOpen]))
  await ctx.db.transaction(async (tx) => {
    const finished = await finishLines(
      tx,
      name,
      leaseEnd,
      compared.map(({ line: { list, lineId }, verdict }) => ({ list, lineId, dueAt: dueAtOf(verdict) })),
    )
    const stillOurs = new Set(finished.map(({ list, lineId }) => `${list} ${lineId}`))
    const current = compared.filter(({ line: { list, lineId } }) => stillOurs.has(`${list} ${lineId}`))
    const facts = factsOf(current)
    const wrong = new Set(facts.map(keyOf))
    const resolved = current.flatMap(
      ({
        verdict: {
          resolved: { kinds, subject },
        },
      }) => kinds.map((kind) => ({ kind, subject, note: 'it agrees now' })).filter((one) => !wrong.has(keyOf(one))),
    )
    closeResolved(ctx, tx, name, resolved)
    for (const { line, verdict } of current)
      for (const { kind, amount, ...cause } of verdict.bookings)
        if (isCurrency(line.currency))
          bookFloat(tx, kind, { ...name, ...cause, currency: line.currency, at: new Date(nowMs) }, toMoney(amount))
    await openBreaks(ctx, tx, name, facts)
  })

  /** A line is not compared again once all its mismatches are closed, because a closed one is not opened again. */
  function dueAtOf({ facts: ofLine, againMs }: Comparison): Date | null {
    const isClosed = ofLine.length > 0 && ofLine.every((fact) => known.get(keyOf(fact)) === false)
    return againMs === null || isClosed ? null : new Date(nowMs + Math.max(againMs, soonMs))
  }
}

function factsOf(compared: readonly ComparedLine[]): BreakFact[] {
  return [...new Map(compared.flatMap(({ verdict }) => verdict.facts).map((one) => [keyOf(one), one])).values()]
}

function keyOf({ kind, subject }: Pick<BreakFact, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}

const arrived: readonly KeptLine['state'][] = ['succeeded', 'pending']

async function compareDepositLines(
  { ctx, rails, deposits }: LineComparer,
  statement: RailStatement,
  check: RailCheck,
  listed: KeptLine[],
): Promise<ComparedLine[]> {
  const { environment, rail, beganAt } = check
  const inbound = rails.inbound(environment, { rail })
  // A line of money that did not arrive proves nothing. A rail without a port for notices has no deposits here.
  const lines = inbound.kind === 'served' ? listed.filter(({ state }) => arrived.includes(state)) : []
  const rest = listed.filter((line) => !lines.includes(line))
  if (lines.length === 0 || inbound.kind === 'missing') return rest.map((line) => ({ line, verdict: nothing(line) }))
  const ids = lines.map(({ lineId }) => lineId)
  const from = { environment, provider: inbound.port.provider }
  const before = await findKnownMoney(ctx, from, ids)
  const untold = lines.filter(({ lineId, at }) => !before.has(lineId) && at.getTime() >= beganAt.getTime())
  const whys = new Map(await Promise.all(untold.map(async (line) => [line.lineId, await receive(line)] as const)))
  const known = whys.size === 0 ? before : await findKnownMoney(ctx, from, ids)
  const unowned = await findUnowned(ctx.db, { environment, rail }, ids)
  const compared = lines.map((line) => {
    const { lineId } = line
    const why = whys.get(lineId) ?? 'it was not read again'
    const question = { line, known: known.get(lineId), wasUnowned: unowned.has(lineId), why, beganAt }
    return { line, verdict: compareDeposit(question) }
  })
  return [...compared, ...rest.map((line) => ({ line, verdict: nothing(line) }))]

  /** Reads the deposit again and receives it. If there is still no deposit, resolves with the reason. */
  async function receive(line: KeptLine): Promise<string> {
    const answer = await statement.reread(line)
    if (answer.kind === 'unreadable') return 'the answer of the rail about it cannot be read'
    if (answer.kind === 'unavailable') return answer.detail
    for (const notice of answer.notices)
      if (notice.about === 'deposit') return (await deposits.receive(environment, notice.deposit)).kind
    return 'the answer of the rail names no deposit'
  }
}

function nothing({ lineId: subject }: KeptLine): ComparedLine['verdict'] {
  return { facts: [], resolved: { kinds: [], subject }, bookings: [], againMs: null }
}
