// Opens review items for unfinished payments that an operator must look at. A query finds them in any state: also
// payments that no process claims because payouts are paused or their rail is stopped, and payments whose every step
// fails.

import { bookOf } from '#ledger/post.ts'
import type { Environment } from '#platform/context.ts'
import { inLane, statement } from '#platform/db/db.ts'
import { findLacking, raiseReviewItem, type Fact } from '#review/review-queue.ts'
import { type Means, stuckAfterMs } from './execution/step.ts'
import { railChangeOf } from './execution/failover.ts'
import { railOrderOf } from './execution/rail-call.ts'
import { isFinal, type LeavingReason, type Payment, type RailWord } from './payment.ts'
import { lockPayments, paymentColumns, paymentOf } from './queries.ts'
import { railIsMissing, railsAreExhausted, withoutRailMsMax, withoutOutcome } from './review-items.ts'

/** A turn examines this many payments. It locks their tenants only if it opens a review item. */
const pageSize = 500

// A range of the index payment_unfinished (lane, created_at, id), which repeats its condition word for word.
const oldUnfinished = statement(
  'payments.old_unfinished',
  `select ${paymentColumns}, p.due_at as "dueAt", p.rail_word as "railWord", t.environment
     from (select * from payment
            where lane = $1 and status in ('queued', 'PENDING', 'OTP_REQUIRED') and asks >= 0
              and created_at < $2 and (created_at, id) > ($3, $4)
            order by created_at, id limit ${pageSize}) as p
     cross join lateral (select environment from tenant where lane = $1 and id = p.tenant_id limit 1) as t
    order by p.created_at, p.id`,
)

type Unfinished = { payment: Payment; environment: Environment; dueAt: Date; railWord: RailWord | null }
type AlarmRow = Payment & Omit<Unfinished, 'payment'>
type AlarmPosition = Pick<Payment, 'createdAt' | 'id'>

const start: AlarmPosition = { createdAt: new Date(0), id: '00000000-0000-0000-0000-000000000000' as Payment['id'] }

/** `leaves`: the rail does not have the payment, so another rail may take it and no operator is needed. */
type Concern = { one: Unfinished; fact: Fact; leaves?: LeavingReason | undefined }

/**
 * Examines a page of a lane's old unfinished payments; resolves with the number of payments in it, or with 0 if it was
 * the last page.
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
    const page = rows.map(({ dueAt, railWord, environment, ...row }) => {
      return { payment: paymentOf(row), environment, dueAt, railWord }
    })
    const [stuck, without] = [page.flatMap((one) => stuckOf(one, nowMs)), page.flatMap((one) => homelessOf(means, one))]
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

/** The rail is not configured here, or the payment came from other rails and the last one does not have it either. */
function homelessOf({ rails }: Means, one: Unfinished): Concern[] {
  const { payment, environment } = one
  const isUnsent = payment.submittedAt === null
  if (railOrderOf(rails, environment, payment) === undefined)
    return [{ one, fact: railIsMissing(payment, environment), leaves: isUnsent ? 'no-rail' : undefined }]
  const isRefused = payment.submissionAnswer === 'refused'
  if (payment.attempts === 1 || !(isRefused || (isUnsent && one.railWord === 'unknown'))) return []
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

/** Returns true if the next step of the payment can move it to another rail. */
async function hasAnotherRail(means: Means, { one, leaves }: Concern): Promise<boolean> {
  const { payment, dueAt, environment } = one
  return (
    leaves !== undefined && (await railChangeOf(means, { payment, environment, leaseEnd: dueAt }, leaves)) !== undefined
  )
}
