// Refunds: sends money that could not be accepted back to its payer. A refund is always of its whole deposit, so it has
// no amount of its own, and a deposit has one refund at most. docs/states.md draws the states.
//
// A rail that may have received a request gets a second one in two cases. Either the rail never confirmed or refused
// the first one and shows no refund for the grace period. Or an operator wants another try, and the rail reports that
// it has no refund or that the first one failed.

import { recordEntry } from '#audit/record.ts'
import type { Environment, OfTenant, Context, Tenant, Actor } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import type { FirstSeen } from '#platform/cache.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { RefundOrder, RefundState } from '#rails/ports.ts'
import type { NotFound, Unknown } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/formats.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { raiseReviewItem, closeReviewItems, noticeSubject, type ExceptionKind, isOpen } from '#review/review-queue.ts'
import { type ReturnReason, depositReference, parseDepositReference, type Deposit } from './deposit.ts'
import { providersOf, railOfProvider } from './provider-lookup.ts'
import { findDeposits } from './queries.ts'
import {
  claimRefunds,
  moveRefund,
  findRefundOfMoney,
  hastenRefund,
  findAllRefunds,
  findOpenRefunds,
  findRefund,
  type ListedRefund,
  findOpenRefund,
  lockRefund,
  resolveLocked,
} from './refund-queries.ts'

export type { ListedRefund } from './refund-queries.ts'

const refundStatuses = ['WAITING', 'ASKED', 'REFUNDED', 'REFUSED'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** Leased by this process until `leaseEnd`. */
export type ClaimedRefund = OfTenant & {
  depositId: Uuid
  /** The status that the claim wrote: ASKED if this process has the rail, otherwise the previous status. */
  status: RefundStatus
  wasAsked: boolean
  askedAt: Date
  asks: number
  /**
   * Why the refund becomes REFUSED if the rail keeps showing no refund: the rail's refusal that is not final, or
   * `confirmedAndAbsent`.
   */
  refusal: string | null
  /** An operator wants the refund sent once more, even if its rail reports that the earlier refund failed. */
  again: boolean
  leaseEnd: Date
  createdAt: Date
  environment: Environment
  provider: string
  providerId: string
  amount: Money
  currency: Currency
  returnReason: ReturnReason
}

export type Step = Pick<ClaimedRefund, 'status' | 'refusal' | 'again'> & {
  dueAt: Date | null
  why: string | null
  /** What an operator must do before the provider sends the money. */
  attention?: string
}

/** A provider takes hours or days, so it is asked after 1, 4, 16, 64 and 256 minutes, and then every six hours. */
const longestPauseMs = 6 * hourMs
/** After this time an operator should ask the provider as well. */
const unsettledAfterMs = 10 * dayMs

/** The provider may be sending the money that it confirmed, so only an operator may cause another request. */
export const confirmedAndAbsent = 'the provider confirmed the refund, but has not shown it since'

/** `requested`: the answer is to the refund request itself, not to a status query. */
export function stepAfter(
  refund: Pick<ClaimedRefund, 'asks' | 'refusal' | 'again'>,
  { answer, requested }: RefundReport,
  nowMs: number,
): Step {
  const later = new Date(nowMs + pauseMsOf(refund.asks))
  const nothing = { why: null, refusal: null, again: false }
  const anew: Step = { ...nothing, status: 'WAITING', dueAt: new Date(nowMs) }
  const refusedWith = (why: string): Step => ({ ...nothing, status: 'REFUSED', dueAt: null, why })
  switch (answer.kind) {
    case 'refunded':
      return { ...nothing, status: 'REFUNDED', dueAt: null }
    case 'failed':
      return refund.again && !requested ? anew : refusedWith(answer.detail)
    case 'not-found':
      return refund.refusal === null ? anew : refusedWith(refund.refusal)
    case 'pending': {
      const { askAgainAfterMs, attention } = answer
      const step: Step = {
        ...nothing,
        status: 'ASKED',
        dueAt: advised(askAgainAfterMs) ?? later,
        why: attention ?? null,
        refusal: confirmedAndAbsent,
      }
      return attention === undefined ? step : { ...step, attention }
    }
    case 'unknown': {
      const wasNotSent = requested && answer.sent === false
      const isAdvised = wasNotSent || !requested
      const dueAt = isAdvised ? (advised(answer.askAgainAfterMs) ?? later) : later
      const refusal = requested && answer.why === 'refused' ? answer.detail : refund.refusal
      const isRefused = !requested && refusal !== null && refusal !== confirmedAndAbsent
      const why = isRefused ? refusal : answer.detail
      return { status: wasNotSent ? 'WAITING' : 'ASKED', dueAt, why, refusal, again: refund.again && !requested }
    }
  }

  function advised(ms: number | undefined): Date | undefined {
    return ms === undefined ? undefined : new Date(nowMs + ms)
  }
}

function pauseMsOf(asks: number): number {
  return Math.min(minuteMs * 4 ** asks, longestPauseMs)
}

type Sender = { ctx: Context; rails: RailRegistry; absences: FirstSeen }

const atOnceMax = 32
/** Longer than any rail takes for a request that begins within `askWithinMs`. */
const leaseMs = 5 * minuteMs
/**
 * A process that was suspended for longer after its claim requests nothing, because its lease could end before the
 * request does, and another process could request the refund meanwhile.
 */
const askWithinMs = minuteMs

/**
 * While an operator deploys a changed rails file, only some processes know a new provider. For this long, the other
 * processes leave its refunds to them.
 */
const leftToOthersMs = hourMs

type RefundReport = { answer: RefundState | NotFound; requested: boolean }

/**
 * The claim marks the refund as ASKED before its rail is asked, no transaction is open meanwhile, and only the process
 * with the lease writes the answer. If that process dies, the next one asks the rail for the status first.
 */
export async function sendBackRefunds(sender: Sender, lane: number): Promise<number> {
  const { ctx } = sender
  const now = new Date(ctx.clock.now())
  const claim = { now, leaseEnd: new Date(now.getTime() + leaseMs), limit: atOnceMax, known: providersOf(sender.rails) }
  const due = await claimRefunds(inLane(ctx.db, lane), claim)
  const asking = due.map(async (refund) => {
    const report = await ask(sender, refund, now.getTime()).catch((error: unknown) => asUnknown(refund, error))
    if (report !== undefined) await recordAnswer(ctx, refund, report)
  })
  await Promise.all(asking)
  return due.length
}

function asUnknown({ wasAsked }: ClaimedRefund, error: unknown): RefundReport {
  const answer: Unknown = { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }
  return { answer, requested: !wasAsked }
}

/** Returns undefined if nothing was asked; the lease then expires. */
async function ask(
  { ctx, rails, absences }: Sender,
  refund: ClaimedRefund,
  claimedMs: number,
): Promise<RefundReport | undefined> {
  const { environment, provider, wasAsked } = refund
  const nowMs = ctx.clock.now()
  const rail = railOfProvider(rails, environment, provider)
  if (rail === undefined) return leaveToOthers(refund, nowMs)
  const served = rails.refunds(environment, { rail })
  if (served.kind !== 'served') return refused('its rail sends no money back')
  const order = orderOf(refund)
  if (wasAsked) {
    const askedAtMs = ctx.clock.monotonicMs()
    const answer = await served.port.status(order)
    return { answer: unlessUnproven(absences, refund, { answer, askedAtMs }), requested: false }
  }
  if (nowMs - claimedMs >= askWithinMs) return undefined
  return { answer: await served.port.refund(order), requested: true }
}

/**
 * Returns `unknown` instead of `not-found` until this process has seen no refund for the whole grace period. The period
 * begins with the last request, or when an operator wanted another try.
 */
function unlessUnproven(
  absences: FirstSeen,
  { depositId, askedAt, again }: ClaimedRefund,
  { answer, askedAtMs }: { answer: RefundState | NotFound; askedAtMs: number },
): RefundState | NotFound {
  const key = `${depositId} ${askedAt.getTime()} ${again}`
  if (answer.kind === 'unknown') return answer
  if (answer.kind === 'not-found' && absences.sinceMs(key, askedAtMs) < absenceGraceMs)
    return { kind: 'unknown', detail: 'the provider does not show the refund yet' }
  absences.forget(key)
  return answer
}

/**
 * A process without the provider's rail never refuses an ASKED refund, because the provider may already have received
 * it.
 */
function leaveToOthers({ wasAsked, createdAt }: ClaimedRefund, nowMs: number): RefundReport {
  if (!wasAsked && nowMs - createdAt.getTime() >= leftToOthersMs)
    return refused('no rail of this service sends money of this provider back')
  const detail = 'no rail of this process is its provider'
  return { answer: { kind: 'unknown', detail, sent: false }, requested: !wasAsked }
}

function refused(detail: string): RefundReport {
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

async function recordAnswer(ctx: Context, refund: ClaimedRefund, report: RefundReport): Promise<void> {
  const now = new Date(ctx.clock.now())
  const step = stepAfter(refund, report, now.getTime())
  const about = { deposit: depositReference(refund.depositId), provider: refund.provider, why: step.why }
  if (step.status === 'WAITING' || step.status === 'ASKED') ctx.log.info(about, 'a refund is not with its payer yet')
  await ctx.db.transaction(async (tx) => {
    if (!(await moveRefund(tx, refund, step, now))) return
    const fact = factOf(refund, step, now)
    if (fact !== undefined && !(await isOpen(tx, fact.kind, subjectOf(refund)))) raiseFact(ctx, tx, refund, fact)
    if (step.status !== 'REFUNDED') return
    const settled = { subject: subjectOf(refund), note: 'the money is with its payer' }
    closeReviewItems(ctx, tx, [
      { kind: 'refund-refused', ...settled },
      { kind: 'refund-unsettled', ...settled },
    ])
  }, refund.lane)
}

type RefundFact = { kind: ExceptionKind; fact: string }

/**
 * The review queue takes each text once. So the text contains a time: that of the refusal, or of the last request. If a
 * refund is refused again, or waits after another request, it gets a new item although an operator closed the first
 * one.
 */
function factOf(
  { provider, askedAt, createdAt }: ClaimedRefund,
  { status, why, attention }: Step,
  now: Date,
): RefundFact | undefined {
  if (status === 'REFUSED') {
    const fact = `${provider} does not send it back: ${why ?? ''} (${now.toISOString()})`
    return { kind: 'refund-refused', fact }
  }
  const request = `(asked for ${askedAt.toISOString()})`
  if (attention !== undefined) return { kind: 'refund-unsettled', fact: `${attention} ${request}` }
  const isLate = status !== 'REFUNDED' && now.getTime() - createdAt.getTime() >= unsettledAfterMs
  return isLate
    ? { kind: 'refund-unsettled', fact: `${provider} has not sent it back for ten days ${request}` }
    : undefined
}

function subjectOf(money: { environment: Environment; provider: string; providerId: string }): string {
  return noticeSubject(money.environment, money)
}

function raiseFact(ctx: Context, tx: Tx, refund: ClaimedRefund, { kind, fact }: RefundFact): void {
  const { environment, lane, tenantId, depositId, currency, amount } = refund
  raiseReviewItem(ctx, tx, {
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

/** `providerId`: the provider's id of the money that came in. */
export type RefundedMoney = { provider: string; providerId: string; says?: 'failed' | 'needs-attention' }

/**
 * Only makes the refund due, so that a worker asks the rail. A process that has leased the refund loses its lease and
 * its answer. That is safe: the next process asks for the status before it requests anything.
 *
 * `asked`: the caller applies the notice again until the refund has ended. If the provider needs a person, the result
 * is `ended`, because such a refund can take days and has a review item.
 */
export async function applyRefundNotice(
  { db, clock, log }: Context,
  environment: Environment,
  { provider, providerId, says }: RefundedMoney,
): Promise<'asked' | 'ended'> {
  const refund = await findRefundOfMoney(db, { environment, provider, providerId })
  if (refund === undefined) {
    log.warn({ environment, provider, providerId }, 'a rail told of a refund that this service did not ask for')
    return 'ended'
  }
  const isKnown = refund.status === 'REFUNDED' || (says === 'failed' && refund.status === 'REFUSED')
  if (isKnown) return 'ended'
  await hastenRefund(inLane(db, refund.lane), refund, new Date(clock.now()))
  return says === 'needs-attention' ? 'ended' : 'asked'
}

/** One page for an operator; more refunds appear when some are done. */
const listedMax = 200

export async function listOpenRefunds({ db }: Context, lanes: number[]): Promise<ListedRefund[]> {
  const found: ListedRefund[] = []
  for (const lane of lanes) found.push(...(await findOpenRefunds(inLane(db, lane), listedMax)))
  return found.toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime()).slice(0, listedMax)
}

export async function listAllRefunds({ db }: Context, lanes: number[]): Promise<ListedRefund[]> {
  const found: ListedRefund[] = []
  for (const lane of lanes) found.push(...(await findAllRefunds(inLane(db, lane), listedMax)))
  return found.toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime()).slice(0, listedMax)
}

/** `refund` is undefined if the money does not go back, or if a version that sent no refunds marked it for return. */
export async function readWithRefund(
  { db }: Context,
  tenant: Tenant,
  reference: string,
): Promise<{ deposit: Deposit; refund: ListedRefund | undefined } | undefined> {
  const id = parseDepositReference(reference)
  if (id === undefined) return undefined
  const [lane, key] = [inLane(db, tenant.lane), { tenantId: tenant.id, id }]
  const [[deposit], refund] = await Promise.all([findDeposits(lane, [key]), findRefund(lane, key)])
  return deposit === undefined ? undefined : { deposit, refund }
}

export const refundResolutions = ['refunded', 'retry'] as const
export type RefundResolution = {
  /** The reference of the deposit, DEP…. */
  reference: string
  as: (typeof refundResolutions)[number]
  note: string
  by: Actor
}

/**
 * `not-open`: the deposit has no refund, or its refund has ended. `under-way`: the provider may still send the money
 * back.
 */
export type RefundResolved = { kind: 'resolved'; status: RefundStatus } | { kind: 'not-open' } | { kind: 'under-way' }

export async function resolveRefund(
  ctx: Context,
  lanes: number[],
  { reference, as, note, by }: RefundResolution,
): Promise<RefundResolved> {
  const depositId = parseDepositReference(reference)
  if (depositId === undefined) return { kind: 'not-open' }
  const found = await Promise.all(lanes.map((lane) => findOpenRefund(inLane(ctx.db, lane), depositId)))
  const refund = found.find((one) => one !== undefined)
  if (refund === undefined) return { kind: 'not-open' }
  return ctx.db.transaction(async (tx): Promise<RefundResolved> => {
    const locked = await lockRefund(tx, refund)
    if (locked === undefined || locked.status === 'REFUNDED') return { kind: 'not-open' }
    const subject = subjectOf(refund)
    const isUnderWay = locked.status === 'ASKED' || (locked.status === 'WAITING' && as === 'retry')
    if (isUnderWay && (as === 'retry' || !(await isOpen(tx, 'refund-unsettled', subject)))) return { kind: 'under-way' }
    const status = statusFor(as, locked.askedAt)
    const now = new Date(ctx.clock.now())
    resolveLocked(tx, refund, { status, note, now })
    closeReviewItems(ctx, tx, [
      { kind: 'refund-refused', subject, note },
      { kind: 'refund-unsettled', subject, note },
    ])
    const { environment, provider, providerId, tenantId } = refund
    const details = { environment, provider, money: providerId, as, was: locked.status, note }
    recordEntry(tx, now.getTime(), { by, act: 'refund.resolved', tenantId, subject: reference, details })
    return { kind: 'resolved', status }
  }, refund.lane)
}

/** If a refund may have been requested, its rail is asked for the status before it is sent again. */
function statusFor(as: RefundResolution['as'], askedAt: Date | null): RefundStatus {
  if (as === 'refunded') return 'REFUNDED'
  return askedAt === null ? 'WAITING' : 'ASKED'
}
