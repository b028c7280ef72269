// A rail reports a change of a payment: the service asks the rail for the status now, and settles its answer. That
// needs no lease, because settling locks the row and a question moves no money. But only the holder of the lease may
// conclude that the rail does not have the payment, so this leaves that to the holder. The return of a payment that
// rests is learned here alone.

import { readRailsLeft } from '#payments/execution/failover.ts'
import { findOperator } from '#directory/operators.ts'
import { railOrderOf } from '#payments/execution/rail-call.ts'
import { settleByRail, tellContradiction } from '#payments/execution/record-step.ts'
import { stepAfter, type Means, noteShown } from '#payments/execution/step.ts'
import { type Context, type Environment, traceStep } from '#platform/context.ts'
import { inLane, type Queryable, statement } from '#platform/db/db.ts'
import { secondMs } from '#platform/durations.ts'
import type { RailNotice } from '#rails/rail.ts'
import { isFinal, type Payment, type Result } from './payment.ts'
import { hastenPayment, paymentColumns, paymentOf } from './queries.ts'
import { hasAnother, wordOfRailLeft } from './review-items.ts'

/** `lanes`: all lanes. */
export type Word = { environment: Environment; rail: string; lanes: number[] } & Omit<
  Extract<RailNotice, { about: 'payment' }>,
  'about'
>

export type RailNoticeOutcome =
  | { kind: 'settled' | 'unchanged' | 'unknown-payment' }
  /** The rail cannot answer now, or does not yet confirm its notice. */
  | { kind: 'unconfirmed'; detail: string; askAgainAfterMs?: number | undefined }

export async function applyRailNotice(
  means: Means,
  { environment, rail, railReference, says, lanes }: Word,
): Promise<RailNoticeOutcome> {
  const { ctx, rails } = means
  const found = railReferenceForm.test(railReference)
    ? await findByRailReference(ctx.db, lanes, railReference)
    : undefined
  if (found === undefined || found.environment !== environment) return { kind: 'unknown-payment' }
  if (found.payment.rail !== rail) return hearRailLeft(means, found, rail)
  const { payment } = found
  const order = railOrderOf(rails, environment, payment)
  if (order === undefined) return { kind: 'unconfirmed', detail: 'its rail, bank or operator is not configured' }
  const attributes = { 'manilla.rail': rail, 'manilla.reference': payment.reference }
  const state = await traceStep(ctx, { name: 'rail status', trace: payment.trace, attributes }, () => order.status())
  if (state.kind === 'unknown' && state.why === 'mismatch') {
    await tellContradiction(ctx, found, hasAnother(state.detail))
    return { kind: 'unchanged' }
  }
  if (state.kind === 'unknown')
    return { kind: 'unconfirmed', detail: state.detail, askAgainAfterMs: state.askAgainAfterMs }
  if (state.kind === 'not-found') return { kind: 'unconfirmed', detail: 'asked for it, the rail does not know it' }
  // A notice may be ahead of the provider's answer. A return would never be polled again.
  if (says === 'reversed' && state.kind !== 'reversed')
    return { kind: 'unconfirmed', detail: `it told of a return, and answers ${state.kind}` }
  noteShown(means, payment, state)
  const step = stepAfter(payment, state, ctx.clock.now(), true)
  if (step.kind === 'settle') return settle(means, found, step.results)
  // A notice may be ahead of the provider's answer, so the rail is asked again soon.
  if (!isFinal(payment.status))
    await hastenPayment(inLane(ctx.db, payment.lane), payment, new Date(ctx.clock.now() + soonMs))
  return { kind: 'unchanged' }
}

/** The wait before the rail is asked again about a payment that it reported and still calls pending. */
const soonMs = 5 * secondMs

/** The rail certainly had not got the payment. When it has after all, a person must know at once. */
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
    return { kind: 'unconfirmed', detail: 'it had left this rail, which cannot tell now' }
  if (state.kind === 'not-found' || state.kind === 'failed') return { kind: 'unchanged' }
  await tellContradiction(means.ctx, { payment, environment }, wordOfRailLeft(payment, rail, state.kind))
  return { kind: 'unchanged' }
}

async function settle(means: Means, found: FoundByRail, results: Result[]): Promise<RailNoticeOutcome> {
  const outcomes = await settleByRail(means, found, results)
  return { kind: outcomes.some(({ kind }) => kind === 'settled') ? 'settled' : 'unchanged' }
}

// The SQL that finds a payment by the reference under which its rail knows it.

export { readRailsLeft } from './execution/failover.ts'

// One probe of the index payment_by_rail_reference for each lane; on a Citus, at each machine.
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

// The same for each reference.
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

// Payments by the references under which their rails know them, for the comparison with a provider's list.

const railReferenceForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Finds payments by reference. A reference in another form is not one of ours. */
export async function findByRailReferences(
  { db }: Pick<Context, 'db'>,
  lanes: number[],
  references: string[],
): Promise<Map<string, FoundByRail>> {
  const wanted = [...new Set(references.filter((reference) => railReferenceForm.test(reference)))]
  const found = wanted.length === 0 ? [] : await findManyByRailReference(db, lanes, wanted)
  return new Map(found.map(({ railReference, ...one }) => [railReference, one]))
}

// Reads the unfinished payments of each lane, which are no more than the backlog, by the index payment_unfinished.
const underWay = statement(
  'payments.under_way',
  `select operator, currency, coalesce(sum(amount) filter (where kind <> 'momo_collection'), 0)::bigint as leaving,
          coalesce(sum(amount) filter (where kind = 'momo_collection'), 0)::bigint as arriving
     from payment
    where lane = any($1::smallint[]) and rail = $2 and attempts > 0
      and status in ('queued', 'PENDING', 'OTP_REQUIRED') and asks >= 0
    group by operator, currency`,
)

export type WalletBacklog = { currency: string; country: string | undefined; leaving: bigint; arriving: bigint }

/** The payouts and collections that a rail was asked for and that have not ended, by their wallet. */
export async function sumUnderWay(db: Queryable, lanes: number[], rail: string): Promise<WalletBacklog[]> {
  const rows = await db.query<Omit<WalletBacklog, 'country'> & { operator: string | null }>(underWay, [lanes, rail])
  return rows.map(({ operator, ...sums }) => {
    return { ...sums, country: operator === null ? undefined : findOperator(operator)?.country }
  })
}
