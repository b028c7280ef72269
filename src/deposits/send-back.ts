// Sending back what could not be accepted. The row is the job: who claims it says that its rail is asked before it is, no
// transaction is open meanwhile, and what the rail says is written by whoever still holds the lease. Who dies in between
// leaves a refund of which its rail is asked before anything else is done.

import type { Context, Environment } from '#base/context.ts'
import { inLane, type Tx } from '#base/db.ts'
import type { FirstSeen } from '#base/first-seen.ts'
import { hourMs, minuteMs } from '#base/durations.ts'
import { noticeSubject, type ExceptionKind } from '#exceptions/exception.ts'
import { raise, settleExceptions } from '#exceptions/raise.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { NotFound, Unknown } from '#rails/rail.ts'
import type { RefundOrder, RefundState } from '#rails/rail-refunds.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { depositReference } from './deposit.ts'
import { providersOf, railOfProvider } from './rail-of-provider.ts'
import { stepAfter, unsettledAfterMs, type ClaimedRefund, type Step } from './refund.ts'
import { claimRefunds, moveRefund } from './sql-refunds.ts'

/** `absences`: refunds that their providers do not show. */
type Sender = { ctx: Context; rails: RailRegistry; absences: FirstSeen }

/** Providers are asked for so many at once by a process. */
const atOnceMax = 32
/** Longer than any rail takes for a question and a request. */
const leaseMs = 5 * minuteMs
/** A process that stood still for longer after its claim asks for nothing: somebody else may have, by the end of the lease. */
const askWithinMs = minuteMs

/**
 * While the file of rails is changed, one process after the other, some have a provider in it and some have not. Those leave it to
 * the others for so long before a person is told.
 */
const leftToOthersMs = hourMs

type Heard = { answer: RefundState | NotFound; requested: boolean }

/** Those of a lane that are due; resolves with how many there were. */
export async function sendBackRefunds(sender: Sender, lane: number): Promise<number> {
  const { ctx } = sender
  const now = new Date(ctx.clock.now())
  const claim = { now, leaseEnd: new Date(now.getTime() + leaseMs), limit: atOnceMax, known: providersOf(sender.rails) }
  const due = await claimRefunds(inLane(ctx.db, lane), claim)
  const taken = due.map(async (refund) => {
    const heard = await ask(sender, refund, now.getTime()).catch((error: unknown) => unclear(error))
    if (heard !== undefined) await note(ctx, refund, heard)
  })
  await Promise.all(taken)
  return due.length
}

function unclear(error: unknown): Heard {
  const answer: Unknown = { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }
  return { answer, requested: true }
}

/** Undefined: nothing was asked, and the lease ends by itself. */
async function ask(
  { ctx, rails, absences }: Sender,
  refund: ClaimedRefund,
  claimedMs: number,
): Promise<Heard | undefined> {
  const { environment, provider, wasAsked } = refund
  const nowMs = ctx.clock.now()
  const rail = railOfProvider(rails, environment, provider)
  if (rail === undefined) return leaveToOthers(refund, nowMs)
  const served = rails.refunds(environment, { rail })
  if (served.kind !== 'served') return refused('its rail sends no money back')
  const order = orderOf(refund)
  if (wasAsked) return { answer: provenBy(absences, refund, await served.port.status(order)), requested: false }
  if (nowMs - claimedMs >= askWithinMs) return undefined
  return { answer: await served.port.refund(order), requested: true }
}

/** A refund may be asked for again only when it has stayed absent for the grace period since it was asked for last. */
function provenBy(
  absences: FirstSeen,
  { depositId, askedAt }: ClaimedRefund,
  answer: RefundState | NotFound,
): RefundState | NotFound {
  const key = `${depositId} ${askedAt.getTime()}`
  if (answer.kind === 'unknown') return answer
  if (answer.kind === 'not-found' && absences.sinceMs(key) < absenceGraceMs)
    return { kind: 'unknown', detail: 'the provider does not show the refund yet' }
  absences.forget(key)
  return answer
}

/** Whoever has asked its provider may have been heard, so that one is never said to be refused here. */
function leaveToOthers({ wasAsked, createdAt }: ClaimedRefund, nowMs: number): Heard {
  if (!wasAsked && nowMs - createdAt.getTime() >= leftToOthersMs)
    return refused('no rail of this service sends money of this provider back')
  const detail = 'no rail of this process is its provider'
  return { answer: { kind: 'unknown', detail, sent: false }, requested: !wasAsked }
}

function refused(detail: string): Heard {
  return { answer: { kind: 'failed', detail }, requested: true }
}

function orderOf({ depositId, providerId, amount, currency, returnReason, askedAt }: ClaimedRefund): RefundOrder {
  return {
    railReference: railReferenceOf(depositId),
    providerId,
    amount,
    currency,
    reason: returnReason.toLowerCase().replaceAll('_', ' '),
    submittedAtMs: askedAt.getTime(),
  }
}

async function note(ctx: Context, refund: ClaimedRefund, heard: Heard): Promise<void> {
  const now = new Date(ctx.clock.now())
  const step = stepAfter(refund, heard, now.getTime())
  const about = { deposit: depositReference(refund.depositId), provider: refund.provider, why: step.why }
  if (step.status === 'WAITING' || step.status === 'ASKED') ctx.log.info(about, 'a refund is not with its payer yet')
  await ctx.db.transaction(async (tx) => {
    if (!(await moveRefund(tx, refund, step, now))) return
    const fact = factOf(refund, step, now.getTime())
    if (fact !== undefined) raiseFact(ctx, tx, refund, fact)
    if (step.status !== 'REFUNDED') return
    const settled = { subject: subjectOf(refund), note: 'the money is with its payer' }
    settleExceptions(ctx, tx, [
      { kind: 'refund-refused', ...settled },
      { kind: 'refund-unsettled', ...settled },
    ])
  }, refund.lane)
}

type RefundFact = { kind: ExceptionKind; fact: string }

/**
 * Why a person must look, if one must. A fact is raised once, so that each time of asking makes another: a refund that a
 * person had sent again may be refused again.
 */
function factOf(
  { provider, askedAt, createdAt }: ClaimedRefund,
  { status, why, attention }: Step,
  nowMs: number,
): RefundFact | undefined {
  if (status === 'REFUSED') {
    const fact = `${provider} does not send it back: ${why ?? ''} (asked for ${askedAt.toISOString()})`
    return { kind: 'refund-refused', fact }
  }
  if (attention !== undefined) return { kind: 'refund-unsettled', fact: attention }
  const isLate = status !== 'REFUNDED' && nowMs - createdAt.getTime() >= unsettledAfterMs
  return isLate ? { kind: 'refund-unsettled', fact: `${provider} has not sent it back for ten days` } : undefined
}

export function subjectOf(money: { environment: Environment; provider: string; providerId: string }): string {
  return noticeSubject(money.environment, money)
}

function raiseFact(ctx: Context, tx: Tx, refund: ClaimedRefund, { kind, fact }: RefundFact): void {
  const { environment, lane, tenantId, depositId, currency, amount } = refund
  raise(ctx, tx, {
    kind,
    environment,
    subject: subjectOf(refund),
    fact,
    tenant: { lane, id: tenantId },
    reference: depositReference(depositId),
    currency,
    amount,
  })
}
