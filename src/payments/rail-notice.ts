// A rail reports a change of a payment: the service asks the rail for the status now, and settles the payment by the
// answer. This needs no lease, because settling locks the row and a question moves no money. But only the process with
// the lease may conclude that the rail does not have the payment, so this code does not conclude it. If a payment has
// no due time any more, only a notice can report its return.

import { readRailsLeft } from '#payments/execution/failover.ts'
import { findOperator } from '#directory/operators.ts'
import { railOrderOf } from '#payments/execution/rail-call.ts'
import { settleByRail } from '#payments/execution/record-step.ts'
import { noteShown } from '#payments/execution/schedule.ts'
import { type Means, stepAfter } from '#payments/execution/step.ts'
import { type Context, type Environment, traceStep } from '#platform/context.ts'
import { inLane, type Queryable, statement } from '#platform/db/db.ts'
import { secondMs } from '#platform/durations.ts'
import type { RailNotice } from '#rails/rail.ts'
import { isFinal, type Payment, type PaymentStatus, type Result } from './payment.ts'
import { paymentColumns, paymentOf } from './queries.ts'
import { answerOfRailLeft, hasAnother, raiseContradiction } from './review-items.ts'

/** `lanes`: all lanes. */
export type PaymentNotice = { environment: Environment; rail: string; lanes: number[] } & Omit<
  Extract<RailNotice, { about: 'payment' }>,
  'about'
>

export type RailNoticeOutcome =
  | { kind: 'settled' | 'unchanged' | 'unknown-payment' }
  /** The rail answers, and does not confirm its notice yet. */
  | { kind: 'unconfirmed'; detail: string }
  /** The rail cannot answer now. */
  | { kind: 'unanswered'; detail: string; askAgainAfterMs?: number | undefined }

export async function applyRailNotice(
  means: Means,
  { environment, rail, railReference, says, lanes }: PaymentNotice,
): Promise<RailNoticeOutcome> {
  const { ctx, rails } = means
  const found = railReferenceForm.test(railReference)
    ? await findByRailReference(ctx.db, lanes, railReference)
    : undefined
  if (found === undefined || found.environment !== environment) return { kind: 'unknown-payment' }
  if (found.payment.rail !== rail) return hearRailLeft(means, found, rail)
  const { payment } = found
  const order = railOrderOf(rails, environment, payment)
  if (order === undefined) return { kind: 'unanswered', detail: 'its rail, bank or operator is not configured' }
  const attributes = { 'manilla.rail': rail, 'manilla.reference': payment.reference }
  const state = await traceStep(ctx, { name: 'rail status', trace: payment.trace, attributes }, () => order.status())
  if (state.kind === 'unknown' && state.why === 'mismatch') {
    await raiseContradiction(ctx, found, hasAnother(state.detail))
    return { kind: 'unchanged' }
  }
  if (state.kind === 'unknown')
    return { kind: 'unanswered', detail: state.detail, askAgainAfterMs: state.askAgainAfterMs }
  if (state.kind === 'not-found') return { kind: 'unconfirmed', detail: 'asked for it, the rail does not know it' }
  // The provider may answer with an older state than that of its notice. Then the notice is tried again, because a
  // payout that succeeded is not polled any more, so its return would be lost.
  if (says === 'reversed' && state.kind !== 'reversed')
    return { kind: 'unconfirmed', detail: `it told of a return, and answers ${state.kind}` }
  noteShown(means, payment, state)
  const step = stepAfter(payment, state, ctx.clock.now(), true)
  if (step.kind === 'settle') return settle(means, found, step.results)
  if (isFinal(payment.status)) {
    const isOver = state.kind !== 'pending' || says === endings[payment.status]
    return isOver ? { kind: 'unchanged' } : { kind: 'unconfirmed', detail: `ended ${payment.status}, shown as pending` }
  }
  if (await noteShownUnfinished(ctx, payment)) return { kind: 'unchanged' }
  return { kind: 'unconfirmed', detail: 'the payment ended or changed its rail while the rail was asked' }
}

/**
 * What a notice says of a payment that ended with this status. While the rail still shows an ended payment as pending,
 * its answer may be older than its notice. So a notice that does not say how the payment ended here is applied again
 * later.
 */
const endings: Partial<Record<PaymentStatus, PaymentNotice['says']>> = { SUCCESS: 'succeeded', FAILED: 'failed' }

/** The wait before the rail is asked again about a payment that it reported in a notice but still shows as pending. */
const soonMs = 5 * secondMs

/**
 * The payment left this rail because the rail certainly did not have it. If the rail has the payment after all, an
 * operator must know at once.
 */
async function hearRailLeft(
  means: Means,
  { payment, environment }: FoundByRail,
  rail: string,
): Promise<RailNoticeOutcome> {
  const left = payment.attempts === 1 ? [] : await readRailsLeft(means.ctx.db, payment)
  if (!left.some((one) => one.rail === rail)) return { kind: 'unknown-payment' }
  const there = { ...payment, rail }
  const state = await railOrderOf(means.rails, environment, there)?.status()
  if (state === undefined || state.kind === 'unknown')
    return { kind: 'unanswered', detail: 'it had left this rail, which cannot tell now' }
  if (state.kind === 'not-found' || state.kind === 'failed') return { kind: 'unchanged' }
  await raiseContradiction(means.ctx, { payment, environment }, answerOfRailLeft(payment, rail, state.kind))
  return { kind: 'unchanged' }
}

async function settle(means: Means, found: FoundByRail, results: Result[]): Promise<RailNoticeOutcome> {
  const outcomes = await settleByRail(means, found, results)
  return { kind: outcomes.some(({ kind }) => kind === 'settled') ? 'settled' : 'unchanged' }
}

// Another process may still see the payment absent, and would submit it again or move it to another rail. So this
// stores that the payment exists, if its rail had refused it or had not shown it for the grace period. The provider may
// answer with an older state than that of its notice, so the rail is asked again soon; a process with the lease polls
// by itself.
const noteShownRow = statement(
  'payments.note_shown',
  `update payment
      set submission_answer = case when submitted_at is null or submission_answer is not null then 'exists' end,
          submitted_at = coalesce(submitted_at, $5),
          due_at = case when rail_word is null then due_at else least(due_at, $6) end,
          asks = case when rail_word is null or due_at <= $6 then asks else 0 end
    where lane = $1 and tenant_id = $2 and reference = $3 and rail = $4
      and status in ('queued', 'PENDING', 'OTP_REQUIRED')
   returning 1`,
)

/** Resolves with false if the payment has ended or is at another rail now. */
async function noteShownUnfinished({ db, clock }: Context, payment: Payment): Promise<boolean> {
  const { lane, tenantId, reference, rail } = payment
  const now = new Date(clock.now())
  const values = [lane, tenantId, reference, rail, now, new Date(now.getTime() + soonMs)]
  return (await inLane(db, lane).query(noteShownRow, values)).length > 0
}

// Exported for reconciliation, because no other folder imports `execution/`.
export { readRailsLeft } from './execution/failover.ts'

// Looks once for each lane in the index payment_by_rail_reference. On Citus, the query runs on each machine.
const byRailReference = statement(
  'payments.by_rail_reference',
  `select ${paymentColumns}, t.environment
     from payment p join tenant t on t.lane = p.lane and t.id = p.tenant_id
    where p.lane = any($1::smallint[]) and p.rail_reference = $2`,
)

export type FoundByRail = { payment: Payment; environment: Environment }

export async function findByRailReference(
  db: Queryable,
  lanes: number[],
  railReference: string,
): Promise<FoundByRail | undefined> {
  const [row] = await db.query<Payment & { environment: Environment }>(byRailReference, [lanes, railReference])
  return row === undefined ? undefined : { payment: paymentOf(row), environment: row.environment }
}

const byRailReferences = statement(
  'payments.by_rail_references',
  `select ${paymentColumns}, t.environment, p.rail_reference as "railReference"
     from payment p join tenant t on t.lane = p.lane and t.id = p.tenant_id
    where p.lane = any($1::smallint[]) and p.rail_reference = any($2::uuid[])`,
)

export async function findManyByRailReference(
  db: Queryable,
  lanes: number[],
  references: string[],
): Promise<(FoundByRail & { railReference: string })[]> {
  type FoundRow = Payment & { environment: Environment; railReference: string }
  const rows = await db.query<FoundRow>(byRailReferences, [lanes, references])
  return rows.map((row) => ({
    payment: paymentOf(row),
    environment: row.environment,
    railReference: row.railReference,
  }))
}

const railReferenceForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Ignores a reference in another form, because it does not belong to this service. */
export async function findByRailReferences(
  { db }: Pick<Context, 'db'>,
  lanes: number[],
  references: string[],
): Promise<Map<string, FoundByRail>> {
  const wanted = [...new Set(references.filter((reference) => railReferenceForm.test(reference)))]
  const found = wanted.length === 0 ? [] : await findManyByRailReference(db, lanes, wanted)
  return new Map(found.map(({ railReference, ...one }) => [railReference, one]))
}

// Reads the unfinished payments of each lane by the index payment_unfinished.
const underWay = statement(
  'payments.under_way',
  `select operator, currency, coalesce(sum(amount) filter (where kind <> 'momo_collection'), 0)::bigint as leaving,
          coalesce(sum(amount) filter (where kind = 'momo_collection'), 0)::bigint as arriving
     from payment
    where lane = any($1::smallint[]) and rail = $2 and (submitted_at is not null or submission_answer is not null)
      and status in ('queued', 'PENDING', 'OTP_REQUIRED') and asks >= 0
    group by operator, currency`,
)

export type WalletBacklog = { currency: string; country: string | undefined; leaving: bigint; arriving: bigint }

/**
 * Sums the unfinished payments that a rail may have, for each of our wallets at the rail. Payments that were never
 * submitted are left out, because they do not change the balance of a wallet.
 */
export async function sumUnderWay(db: Queryable, lanes: number[], rail: string): Promise<WalletBacklog[]> {
  const rows = await db.query<Omit<WalletBacklog, 'country'> & { operator: string | null }>(underWay, [lanes, rail])
  return rows.map(({ operator, ...sums }) => {
    return { ...sums, country: operator === null ? undefined : findOperator(operator)?.country }
  })
}
