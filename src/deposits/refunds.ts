// A refund: money that could not be accepted, on its way back to who paid it. What becomes of it when its rail has answered;
// pure. The drawing of its states is docs/states.md. A rail that may have been asked is never asked again before it has said
// that it knows of no refund.

import { record } from '#audit/record.ts'
import type { Environment, OfTenant, Context, Tenant, Actor } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import type { FirstSeen } from '#platform/first-seen.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Kobo } from '#platform/money.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { RefundState as RailAnswer, RefundOrder, RefundState } from '#rails/ports.ts'
import type { NotFound, Unknown } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { raise, settleExceptions } from '#review/raise.ts'
import { noticeSubject, type ExceptionKind } from '#review/review-item.ts'
import { isOpen } from '#review/service.ts'
import type { ReturnReason } from '#virtual-accounts/account.ts'
import { depositReference, parseDepositReference, type Deposit } from './deposit.ts'
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

/** A refund that this process keeps to itself until `leaseEnd`, with what its rail must know of the money. */
export type ClaimedRefund = OfTenant & {
  depositId: Uuid
  /** As it is while it is claimed: ASKED by who can ask, else as it was. */
  status: RefundStatus
  /** As it was before it was claimed. */
  wasAsked: boolean
  askedAt: Date
  asks: number
  /** In which words its rail refused it, where these are not final. */
  refusal: string | null
  /** A person wants it sent once more, also if its rail says that the refund it has failed. */
  again: boolean
  leaseEnd: Date
  createdAt: Date
  environment: Environment
  provider: string
  providerId: string
  amount: Kobo
  currency: Currency
  returnReason: ReturnReason
}

export type Step = Pick<ClaimedRefund, 'status' | 'refusal' | 'again'> & {
  dueAt: Date | null
  why: string | null
  /** What a person must do before the provider goes on. */
  attention?: string
}

/** A refund takes its provider hours or days: it is asked about after a minute, after four, … and then every six hours. */
const longestPauseMs = 6 * hourMs
/** From then on a person should ask the provider, too. */
const unsettledAfterMs = 10 * dayMs

/** `requested`: it is the answer to the request itself, and not to a question what became of one. */
export function stepAfter(
  refund: Pick<ClaimedRefund, 'asks' | 'refusal' | 'again'>,
  { answer, requested }: { answer: RailAnswer | NotFound; requested: boolean },
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
      }
      return attention === undefined ? step : { ...step, attention }
    }
    case 'unknown': {
      const wasNotSent = requested && answer.sent === false
      const dueAt = wasNotSent ? (advised(answer.askAgainAfterMs) ?? later) : later
      const refusal = requested && answer.why === 'refused' ? answer.detail : refund.refusal
      const why = requested ? answer.detail : (refusal ?? answer.detail)
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

// Sending back what could not be accepted. The row is the job: who claims it says that its rail is asked before it is, no
// transaction is open meanwhile, and what the rail says is written by whoever still holds the lease. Who dies in between
// leaves a refund of which its rail is asked before anything else is done.

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
    if (heard !== undefined) await noteOutcome(ctx, refund, heard)
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

async function noteOutcome(ctx: Context, refund: ClaimedRefund, heard: Heard): Promise<void> {
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

function subjectOf(money: { environment: Environment; provider: string; providerId: string }): string {
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

// What a provider tells of a refund is a reason to ask its rail, and nothing more: the refund is due at once. Whoever holds its
// lease at this moment loses it, and what that one hears is asked for again; a refund that may have been asked for is never
// asked for anew without that.

/** By what its provider calls the money that came in. */
export type ToldRefund = { provider: string; providerId: string }

export async function hearOfRefund(
  { db, clock, log }: Context,
  environment: Environment,
  { provider, providerId }: ToldRefund,
): Promise<'asked' | 'ended'> {
  const refund = await findRefundOfMoney(db, { environment, provider, providerId })
  if (refund === undefined) {
    log.warn({ environment, provider, providerId }, 'a rail told of a refund that this service did not ask for')
    return 'ended'
  }
  if (refund.status === 'REFUNDED') return 'ended'
  await hastenRefund(inLane(db, refund.lane), refund, new Date(clock.now()))
  return 'asked'
}

// Refunds, as whoever runs the service sees them: those that are not with their payers yet, and the one of a deposit.

/** A page for a person; what stands behind it shows when some are done. */
const listedMax = 200

/** Of these lanes, the oldest of each first. */
export async function listOpenRefunds({ db }: Context, lanes: number[]): Promise<ListedRefund[]> {
  const found: ListedRefund[] = []
  for (const lane of lanes) found.push(...(await findOpenRefunds(inLane(db, lane), listedMax)))
  return found.toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime()).slice(0, listedMax)
}

/** Also those that have ended, the newest of these lanes first. */
export async function listAllRefunds({ db }: Context, lanes: number[]): Promise<ListedRefund[]> {
  const found: ListedRefund[] = []
  for (const lane of lanes) found.push(...(await findAllRefunds(inLane(db, lane), listedMax)))
  return found.toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime()).slice(0, listedMax)
}

/** `refund`: undefined when its money does not go back, or was marked by a version that did not send any. */
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

// A person resolves a refund that does not get on: it was paid back by other means, or it is to be sent again. What its rail
// may have been asked for is asked about before it is sent again, so that it never leaves twice.

export const refundResolutions = ['refunded', 'retry'] as const
export type RefundResolution = {
  /** The reference of the deposit, DEP…. */
  reference: string
  as: (typeof refundResolutions)[number]
  note: string
  by: Actor
}

/** `not-open`: there is no refund of this deposit, or it has ended. `under-way`: its provider may still send it back. */
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
    settleExceptions(ctx, tx, [
      { kind: 'refund-refused', subject, note },
      { kind: 'refund-unsettled', subject, note },
    ])
    const { environment, provider, providerId, tenantId } = refund
    const details = { environment, provider, money: providerId, as, was: locked.status, note }
    record(tx, now.getTime(), { by, act: 'refund.resolved', tenantId, subject: reference, details })
    return { kind: 'resolved', status }
  }, refund.lane)
}

/** A refund that its rail was never asked for may be sent; any other is asked about first. */
function statusFor(as: RefundResolution['as'], askedAt: Date | null): RefundStatus {
  if (as === 'refunded') return 'REFUNDED'
  return askedAt === null ? 'WAITING' : 'ASKED'
}
