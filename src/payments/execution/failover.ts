// Chooses another rail for a payout that certainly does not exist at its own rail. Either the payout was never
// submitted there, or the rail refused it with a code that its adapter (rails/…/payout.ts, payments.ts) lists as final,
// or the rail refused it otherwise and then did not show it for the whole grace period. After an unclear outcome the
// payout never changes its rail, however long the rail does not show it.
//
// The row proves that no other process submits the payout. Only the process with the lease could have submitted it, and
// the change is written only while the row is still due at the end of that lease (settle.ts). A process that loses the
// lease while it submits sends nothing any more (`leaveBeforeMs`, rail.ts). The next rail pays under the same
// reference. No payment returns to a rail that it left.

import { findOperator } from '#directory/operators.ts'
import type { FailureReason, LeavingReason, MomoCollection, Payment, RailChange } from '#payments/payment.ts'
import type { Clock } from '#platform/clock.ts'
import { finishesWithin } from '#platform/concurrency.ts'
import type { Environment } from '#platform/context.ts'
import { arraysOf, type Queryable, statement, type Tx } from '#platform/db/db.ts'
import { secondMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { bankPayee, type RailPayee, type RailWish, walletPayee } from '#rails/choose.ts'
import { type Wallet, walletFor } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/formats.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { railOrderOf, type RailState } from './rail-call.ts'
import type { LeasedPayment, StepMeans } from './step.ts'

const payoutPortOf = { bank_transfer: 'payout', momo_transfer: 'momoPayout' } as const

/** Reasons of the rail. A reason of the payee would be the same at any other rail. */
const railsOwn: readonly FailureReason[] = [
  'BANK_UNAVAILABLE',
  'PROVIDER_ERROR',
  'OPERATOR_UNAVAILABLE',
  'UNSPECIFIED_FAILURE',
]

/** Why another rail may take the payment after this answer to a submission. Undefined if no other rail may take it. */
export function leavingAfter(submitted: RailState): LeavingReason | undefined {
  if (submitted.kind === 'unknown') {
    const { sent, why, answered } = submitted
    // A refusal that the rail does not list as final proves nothing yet.
    if (sent !== false || why === 'refused' || why === 'mismatch') return undefined
    // The rail refused a step before the submission, such as a name enquiry, so another rail may know the account.
    return answered === true ? 'refused' : why
  }
  if (submitted.kind !== 'failed' || !('created' in submitted)) return undefined
  return railsOwn.includes(submitted.reason) ? 'refused' : undefined
}

/** Returns undefined if the route has no other rail that serves the payment, is available, and has enough money. */
export async function railChangeOf(
  { ctx, rails, stops, floats }: StepMeans,
  { payment, environment, leaseEnd }: Pick<LeasedPayment, 'payment' | 'environment' | 'leaseEnd'>,
  why: LeavingReason,
): Promise<RailChange | undefined> {
  const { rail: from, id, attempts } = payment
  if (from === null || payment.kind === 'momo_collection') return undefined
  // The rail may still execute an earlier submission, and a later refusal does not prove that it will not.
  const { submissionAnswer } = payment
  if (submissionAnswer === 'unclear' || (why !== 'refused' && submissionAnswer !== null)) return undefined
  const left = new Set([from])
  if (attempts > 1) for (const { rail } of await readRailsLeft(ctx.db, payment)) left.add(rail)
  const wish = wishOf(payment)
  for (;;) {
    const next = rails.next(payoutPortOf[payment.kind], environment, { wish, left })
    if (next === undefined) return undefined
    const { rail: to, needs } = next
    const isServed = railOrderOf(rails, environment, { ...payment, rail: to }) !== undefined
    if (
      isServed &&
      !(await stops.isStopped(to)) &&
      (await floats.covers(environment, to, { ...wish, amount: needs }))
    ) {
      const railReference = rails.tellsOfPayments(to) ? railReferenceOf(id) : null
      return { kind: 'rail-changed', from, to, why, leaseEnd, railReference }
    }
    left.add(to)
  }
}

/** Asks for a rail by the same facts as at acceptance, so that all processes choose the same rail. */
function wishOf(payment: Exclude<Payment, MomoCollection>): RailWish {
  const { tenantId, reference, amount } = payment
  const to =
    payment.kind === 'bank_transfer'
      ? bankPayee(payment.bankSlug)
      : walletPayee(findOperator(payment.operator), payment.currency)
  return { ...to, amount, seed: `${tenantId} ${reference}` }
}

// Caches our balance at each rail while payments look for another rail. When a rail fails, all its payments move at
// once, and each would ask the provider.

type FloatNeeds = Pick<RailPayee, 'currency' | 'country'> & { amount: bigint }

export type FloatWatch = {
  /**
   * Returns false if the rail's wallet is known to hold less than the payment needs. Returns true if the provider does
   * not report its balance: then the submission shows whether the money suffices.
   */
  covers(environment: Environment, rail: string, needs: FloatNeeds): Promise<boolean>
}

const rememberedMs = 10 * secondMs
/**
 * The longest wait for a balance, because the payment waits under its lease. Providers answer within seconds, or their
 * breaker opens.
 */
const answerMsMax = 5 * secondMs

type Known = { untilMs: number; wallets: Promise<Wallet[] | undefined> }

export function watchFloats(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  rails: Pick<RailRegistry, 'float'>,
): FloatWatch {
  const known = new Map<string, Known>()

  async function ask(environment: Environment, rail: string): Promise<Wallet[] | undefined> {
    const answer = rails.float(environment, { rail })
    if (answer.kind === 'missing') return undefined
    const asking = answer.port.balance().catch(() => undefined)
    const balance = (await finishesWithin(answerMsMax, asking)) ? await asking : undefined
    return balance?.kind === 'known' ? balance.wallets : undefined
  }

  return {
    async covers(environment, rail, { amount, ...which }) {
      const before = known.get(rail)
      const isFresh = before !== undefined && before.untilMs > monotonicMs()
      const one = isFresh ? before : { untilMs: monotonicMs() + rememberedMs, wallets: ask(environment, rail) }
      known.set(rail, one)
      const wallets = await one.wallets
      return wallets === undefined || (walletFor(wallets, which)?.amount ?? 0n) >= amount
    },
  }
}

/** `attempt`: the position of this rail among the rails that the payment left. */
export type RailLeft = { attempt: number; rail: string; why: LeavingReason; leftAt: Date }

const ofPayment = statement(
  'payments.rails_left',
  `select attempt, rail, why, left_at as "leftAt" from rail_attempt
    where lane = $1 and tenant_id = $2 and payment_id = $3 order by attempt`,
)

/** Returns the oldest first, and all of them: a payment leaves each rail at most once. */
export function readRailsLeft(db: Queryable, { lane, tenantId, id }: Payment): Promise<RailLeft[]> {
  return db.query<RailLeft>(ofPayment, [lane, tenantId, id])
}

export type ChangedRail = {
  tenantId: Uuid
  reference: string
  paymentId: Uuid
  from: string
  to: string
  attempt: number
  why: LeavingReason
  at: Date
  dueAt: Date
  railReference: string | null
}

const keep = statement(
  'payments.keep_attempts',
  `insert into rail_attempt (lane, tenant_id, payment_id, rail, attempt, why, left_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::timestamptz[]) as v`,
)

// An earlier statement has locked the rows. After the change, the payment is due like one that was never submitted.
const change = statement(
  'payments.change_rail',
  `with v as materialized (
     select p.row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::timestamptz[], $7::uuid[])
         as k (tenant_id, reference, rail, attempts, due_at, rail_reference)
       cross join lateral (
         select ctid as row_place from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p)
   update payment p
      set rail = v.rail, attempts = v.attempts, due_at = v.due_at, submitted_at = null, asks = 0, rail_word = null,
          parked_at = null, submission_answer = null, rail_reference = coalesce(p.rail_reference, v.rail_reference)
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

export function changeRails(tx: Tx, rows: ChangedRail[]): void {
  if (rows.length === 0) return
  tx.send(keep, [tx.lane, ...arraysOf(rows, 'tenantId', 'paymentId', 'from', 'attempt', 'why', 'at')])
  const after = rows.map((row) => ({ ...row, attempts: row.attempt + 1 }))
  tx.send(change, [tx.lane, ...arraysOf(after, 'tenantId', 'reference', 'to', 'attempts', 'dueAt', 'railReference')])
}
