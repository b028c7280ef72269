// Review items about payments, and the search for late payments. That search finds unfinished payments in any state, so
// also those that no process claims because payouts are paused or their rail is stopped, and those for which every step
// fails. Below are the review items about rails that contradict our records.

import { bookOf } from '#ledger/post.ts'
import type { Context, Environment } from '#platform/context.ts'
import { statement, type Tx, inLane } from '#platform/db/db.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import { findLacking, type Fact, raiseReviewItem, type ExceptionKind } from '#review/review-queue.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import { railChangeOf } from './execution/failover.ts'
import { railOrderOf } from './execution/rail-call.ts'
import type { Means } from './execution/step.ts'
import { type LastAnswer, isFinal, type Payment, type LeavingReason } from './payment.ts'
import { paymentOf, lockPayments, paymentColumns } from './queries.ts'
import { publicIdOf } from './wire.ts'
import type { SettleCommand } from './settle.ts'

/** A payment of this age without an outcome needs an operator. */
export const stuckAfterMs = 24 * hourMs

/** A rail may be missing for a short time, for example during the rollout of a new version. */
const withoutRailMsMax = 5 * minuteMs

/** A payment younger than this has no review items yet, so its end closes none. */
export const unconcernedMs = minuteMs

function withoutOutcome(payment: Payment, environment: Environment): Fact {
  return factAbout(payment, environment, 'payment-stuck', 'it has had no outcome for a day')
}

export function railIsMissing(payment: Payment, environment: Environment): Fact {
  const rail = payment.rail ?? '(none is noted)'
  const fact = `its rail ${rail}, or its bank or operator, is not configured; it waits until it is`
  return factAbout(payment, environment, 'payment-without-rail', fact)
}

function railsAreExhausted(payment: Payment, environment: Environment): Fact {
  const { attempts, rail } = payment
  const fact = `${attempts} rails had it in turn, no other one can take it, and it waits for ${rail}`
  return factAbout(payment, environment, 'payment-without-rail', fact)
}

export function moneyWithoutRoom(payment: Payment, environment: Environment): Fact {
  const came =
    payment.kind === 'momo_collection' ? 'its payer paid after it had expired' : 'its rail returned the money'
  const fact = `${came}, and the books of the business have no room for it`
  return factAbout(payment, environment, 'return-without-room', fact)
}

export function factAbout(payment: Payment, environment: Environment, kind: ExceptionKind, fact: string): Fact {
  const { lane, tenantId, reference, currency, amount } = payment
  const tenant = { lane, id: tenantId }
  return { kind, environment, subject: publicIdOf(payment), fact, tenant, reference, currency, amount }
}

/** A turn examines this many payments. It locks their tenants only if it opens a review item. */
const pageSize = 500

// Reads a range of the index payment_unfinished (lane, created_at, id). The statement repeats the condition of the
// index word for word, so that PostgreSQL uses it.
const oldUnfinished = statement(
  'payments.old_unfinished',
  `select ${paymentColumns}, p.due_at as "dueAt", p.rail_word as "railAnswer", t.environment
     from (select * from payment
            where lane = $1 and status in ('queued', 'PENDING', 'OTP_REQUIRED') and asks >= 0
              and created_at < $2 and (created_at, id) > ($3, $4)
            order by created_at, id limit ${pageSize}) as p
     cross join lateral (select environment from tenant where lane = $1 and id = p.tenant_id limit 1) as t
    order by p.created_at, p.id`,
)

type Unfinished = { payment: Payment; environment: Environment; dueAt: Date; railAnswer: LastAnswer | null }
type AlarmRow = Payment & Omit<Unfinished, 'payment'>
type AlarmPosition = Pick<Payment, 'createdAt' | 'id'>

const start: AlarmPosition = { createdAt: new Date(0), id: '00000000-0000-0000-0000-000000000000' as Payment['id'] }

/** `leaves`: why another rail may take the payment. If another rail can take it, no operator is needed. */
type Concern = { one: Unfinished; fact: Fact; leaves?: LeavingReason | undefined }

/**
 * The returned function examines a page of a lane's old unfinished payments. It resolves with the number of payments in
 * the page, or with 0 if it was the last page.
 */
export function createAlarms(means: Means): (lane: number) => Promise<number> {
  const { ctx } = means
  /** The position of the next page, for each lane. */
  const places = new Map<number, AlarmPosition>()

  return async (lane) => {
    const nowMs = ctx.clock.now()
    const { createdAt, id } = places.get(lane) ?? start
    const before = new Date(nowMs - withoutRailMsMax)
    const rows = await inLane(ctx.db, lane).query<AlarmRow>(oldUnfinished, [lane, before, createdAt, id])
    const page = rows.map(({ dueAt, railAnswer, environment, ...row }) => {
      return { payment: paymentOf(row), environment, dueAt, railAnswer }
    })
    const [stuck, without] = [
      page.flatMap((one) => stuckOf(one, nowMs)),
      page.flatMap((one) => withoutRailOf(means, one)),
    ]
    ctx.metrics.paymentsStuck.inc(stuck.length)
    ctx.metrics.paymentsWithoutRail.inc(without.length)
    await raiseNew(means, lane, [...stuck, ...without])
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) places.delete(lane)
    else places.set(lane, last.payment)
    return places.has(lane) ? page.length : 0
  }
}

function stuckOf(one: Unfinished, nowMs: number): Concern[] {
  if (nowMs - one.payment.createdAt.getTime() <= stuckAfterMs) return []
  return [{ one, fact: withoutOutcome(one.payment, one.environment) }]
}

/**
 * Finds a payment whose rail is not configured here, or that has left other rails and that the last rail does not have
 * either.
 */
function withoutRailOf({ rails }: Means, one: Unfinished): Concern[] {
  const { payment, environment } = one
  const isUnsent = payment.submittedAt === null
  if (railOrderOf(rails, environment, payment) === undefined)
    return [{ one, fact: railIsMissing(payment, environment), leaves: isUnsent ? 'no-rail' : undefined }]
  const isRefused = payment.submissionAnswer === 'refused'
  if (payment.attempts === 1 || !(isRefused || (isUnsent && one.railAnswer === 'unknown'))) return []
  return [{ one, fact: railsAreExhausted(payment, environment), leaves: isRefused ? 'refused' : 'float' }]
}

/** Most concerns already have a review item, so a page usually costs one query and no lock. */
async function raiseNew(means: Means, lane: number, concerns: Concern[]): Promise<void> {
  if (concerns.length === 0) return
  const { ctx } = means
  const lacking = await findLacking(
    ctx.db,
    concerns.map(({ fact }) => fact),
  )
  const wanted: Concern[] = []
  for (const [index, concern] of concerns.entries())
    if (lacking.has(index) && !(await hasAnotherRail(means, concern))) wanted.push(concern)
  if (wanted.length === 0) return
  const payments = [...new Set(wanted.map(({ one }) => one.payment))]
  await ctx.db.transaction(async (tx) => {
    // Locks the tenants first, like every transaction that locks payments of several tenants.
    await bookOf(tx).lock(payments.map(({ tenantId }) => tenantId)).sent
    // Skips a payment that has ended in the meantime, because nothing would close its review item. A payment that moved
    // to another rail is examined again on a later turn.
    const now = new Map((await lockPayments(tx, payments)).map((payment) => [payment.id, payment]))
    for (const { one, fact } of wanted) {
      const { status, rail } = now.get(one.payment.id) ?? one.payment
      if (!isFinal(status) && rail === one.payment.rail) raiseReviewItem(ctx, tx, fact)
    }
  }, lane)
}

async function hasAnotherRail(means: Means, { one, leaves }: Concern): Promise<boolean> {
  const { payment, dueAt, environment } = one
  return (
    leaves !== undefined && (await railChangeOf(means, { payment, environment, leaseEnd: dueAt }, leaves)) !== undefined
  )
}

// Contradictions: a rail reports another end than the payment has here, has another payment under the reference, has a
// payment that had left it, or no longer shows a payment that it had. Either side may be wrong, so the payment stays as it
// is, and an operator gets a review item at once. On staging contradictions are harmless, because testers complete payments
// too.

type ItemWriters = { ctx: Context; tx: Tx }

/** Of the results about codes, only an accepted code contradicts an end; the others move no money. */
const contradicting: readonly SettleCommand['result']['kind'][] = ['succeeded', 'failed', 'reversed', 'otp-accepted']

export function noteContradiction({ ctx, tx }: ItemWriters, payment: Payment, { source, result }: SettleCommand): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || !contradicting.includes(result.kind)) return
  raiseReviewItem(ctx, tx, contradictionAbout(payment, source.environment, endedOtherwise(payment, result.kind)))
}

/** The payment left that rail, because the rail certainly did not have it. So a failure there needs no review item. */
export function noteAnswerOfRailLeft(
  { ctx, tx }: ItemWriters,
  payment: Payment,
  { source, result }: SettleCommand,
): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || result.kind === 'failed') return
  raiseReviewItem(
    ctx,
    tx,
    contradictionAbout(payment, source.environment, answerOfRailLeft(payment, source.rail, result.kind)),
  )
}

type Contradicted = { payment: Payment; environment: Environment }

/**
 * Runs in a transaction of its own. record-step.ts calls this before it postpones the payment, so that after an error
 * the next look at the payment reports the contradiction again.
 */
export async function raiseContradiction(ctx: Context, about: Contradicted, fact: string): Promise<void> {
  reportContradiction(ctx, about, fact)
  const { payment, environment } = about
  if (environment === 'staging') return
  await ctx.db.transaction(async (tx) => {
    // The payment may have ended since the rail was asked.
    const [now] = await lockPayments(tx, [payment])
    if (now?.status === payment.status) raiseReviewItem(ctx, tx, contradictionAbout(payment, environment, fact))
  }, payment.lane)
}

/** `said`: the answer of the rail that contradicts the payment. */
export function reportContradiction(ctx: Context, { payment, environment }: Contradicted, said: string): void {
  if (environment === 'staging') {
    ctx.log.info({ payment: payment.id, said }, 'a tester had completed a payment before its rail gave its outcome')
    return
  }
  ctx.metrics.paymentsContradicted.inc()
}

function contradictionAbout(payment: Payment, environment: Environment, fact: string): Fact {
  return factAbout(payment, environment, 'payment-contradicted', fact)
}

/** `said`: the current answer of the rail. */
export function endedOtherwise({ status }: Payment, said: string): string {
  return `its rail says ${said}, after it had ended ${status}`
}

/**
 * The text of a review item about a payment that stays unfinished. When the payment ends, the review item is found by
 * this text and closed.
 */
export const existsAndIsAbsent = `its rail said that it has this reference, or showed the payment after a refusal or an absence, and now has not shown it for ${absenceGraceMs / minuteMs} minutes or longer; nothing is sent, ask the provider`

export function hasAnother(detail: string): string {
  return `its rail has another payment under its reference (${detail}); ask the provider`
}

/** `rail`: a rail that the payment has left. */
export function answerOfRailLeft(payment: Payment, rail: string | null, said: string): string {
  return `the rail ${rail}, which it had left for ${payment.rail}, says ${said}: it may be paid twice`
}
