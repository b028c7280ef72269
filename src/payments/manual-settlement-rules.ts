// The SQL of ending payments by hand: what decides whether their rails may still act.

import { arrayOf, statement, type Tx } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { stuckAfterMs } from './execution/step.ts'
import type { Payment, RailWord, Result } from './payment.ts'
import type { PaymentKey } from './queries.ts'

const findHolds = statement(
  'payments.find_holds',
  `select p.tenant_id as "tenantId", p.reference, p.due_at as "dueAt", p.submitted_at as "submittedAt",
          p.rail_word as "railWord"
     from unnest($2::uuid[], $3::text[]) as k (tenant_id, reference)
     cross join lateral (
       select * from payment
        where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p`,
)

/** The rows must be locked. */
export function findHoldsOf(tx: Tx, keys: PaymentKey[]): Promise<(Hold & PaymentKey)[]> {
  const values = [tx.lane, arrayOf(keys, (key) => key.tenantId), arrayOf(keys, (key) => key.reference)]
  return tx.query<Hold & PaymentKey>(findHolds, values)
}

// Whether a rail may still act for an unfinished payment: as long as it may, no person ends the payment, because a word of
// the rail that came later would find the money moved. What never left can always be ended as failed. The rule is the one of
// docs/spec.md.

/** Why a rail may still act. */
export type Refusal =
  /** A process has it in hand. */
  | 'in-hand'
  /** The rail's last word was that it is under way. */
  | 'under-way'
  /** It is looked at within the next minute, or should have been. */
  | 'asked-soon'
  /** Its rail is there and may answer yet. */
  | 'young'
  /** It waits to be sent again, and an earlier submission was never answered: its provider may carry that one out. */
  | 'unclear'
  /** It never left the building, so it cannot have succeeded. */
  | 'never-left'

/** What decides, as it is while the row is locked. */
export type Hold = { dueAt: Date | null; submittedAt: Date | null; railWord: RailWord | null }

const soonMs = minuteMs

/**
 * Undefined: a person may end this unfinished payment. A claim notes the submission before the payment leaves, so while the
 * row is locked and notes none, no process can be sending it; and one that was late writes nothing more about it. An earlier
 * submission of it that stayed unclear is no proof that it never left: providers can show a transfer late.
 */
export function refusalOf(payment: Payment, hold: Hold, result: Result, nowMs: number): Refusal | undefined {
  const { dueAt, submittedAt, railWord } = hold
  const isYoung = railWord !== 'no-rail' && nowMs - payment.createdAt.getTime() < stuckAfterMs
  if (submittedAt === null) {
    if (payment.submissionAnswer !== null) return isYoung ? 'unclear' : undefined
    return result.kind === 'succeeded' ? 'never-left' : undefined
  }
  if (railWord === null) return 'in-hand'
  if (railWord === 'pending') return 'under-way'
  if (dueAt !== null && dueAt.getTime() <= nowMs + soonMs) return 'asked-soon'
  return isYoung ? 'young' : undefined
}
