// Another rail for a payout that its own certainly has not got: it was never submitted there, or the rail refused it, either
// with a code that it lists as final or with other words and by not showing it for the whole grace period. An unclear outcome
// never changes the rail, however long the payment stays absent. The proof is the row: the holder of its lease was
// the only process that could have sent it, and the change is written only while the row is still due at the end of that very
// lease (settle.ts). A process that lost the lease in the middle of sending sends nothing any more (`leaveBeforeMs`,
// rail.ts). The next rail pays under the same reference. No payment comes back to a rail that it left.

import type { Wish } from '#rails/choose.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { Leased, StepMeans } from './carry-step.ts'
import type { FailureReason, LeavingReason, MomoCollection, Payment, RailChange } from './payment.ts'
import { railOrderOf, type RailState } from './rail-order.ts'
import { readRailsLeft } from './sql-rail-change.ts'

const payoutPortOf = { bank_transfer: 'payout', momo_transfer: 'momoPayout' } as const

/** Faults of a rail. What is the payee's would be the same at any other. */
const railsOwn: readonly FailureReason[] = [
  'BANK_UNAVAILABLE',
  'PROVIDER_ERROR',
  'OPERATOR_UNAVAILABLE',
  'UNSPECIFIED_FAILURE',
]

/** Why another rail may have what this one, asked to send it, said that it has not got. Undefined: none may. */
export function leavingAfter(submitted: RailState): LeavingReason | undefined {
  if (submitted.kind === 'unknown') {
    const { sent, why } = submitted
    // An unlisted refusal proves nothing at once.
    return sent === false && why !== 'refused' && why !== 'mismatch' ? why : undefined
  }
  if (submitted.kind !== 'failed' || !('created' in submitted)) return undefined
  return railsOwn.includes(submitted.reason) ? 'refused' : undefined
}

/** Undefined: there is no rail of its route that it was not at, that serves it, is well and has enough for it. */
export async function railChangeOf(
  { ctx, rails, stops, floats }: StepMeans,
  { payment, environment, leaseEnd }: Pick<Leased, 'payment' | 'environment' | 'leaseEnd'>,
  why: LeavingReason,
): Promise<RailChange | undefined> {
  const { rail: from, id, attempts } = payment
  if (from === null || payment.kind === 'momo_collection') return undefined
  // An earlier submission of it may still arrive where it is now.
  if (why !== 'refused' && payment.submissionAnswer !== null) return undefined
  const left = new Set([from])
  if (attempts > 1) for (const { rail } of await readRailsLeft(ctx.db, payment)) left.add(rail)
  for (;;) {
    const next = rails.next(payoutPortOf[payment.kind], environment, { wish: wishOf(payment), left })
    if (next === undefined) return undefined
    const { rail: to, needs } = next
    const isServed = railOrderOf(rails, environment, { ...payment, rail: to }) !== undefined
    if (isServed && !(await stops.isStopped(to)) && (await floats.covers(environment, to, needs))) {
      const railReference = rails.tellsOfPayments(to) ? railReferenceOf(id) : null
      return { kind: 'rail-changed', from, to, why, leaseEnd, railReference }
    }
    left.add(to)
  }
}

/** The same as at acceptance, so that all processes choose alike. */
function wishOf(payment: Exclude<Payment, MomoCollection>): Wish {
  const { tenantId, reference, amount } = payment
  const payee = payment.kind === 'bank_transfer' ? payment.bankSlug : payment.operator
  return { amount, payee, seed: `${tenantId} ${reference}` }
}
