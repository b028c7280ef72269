// What is known of one payment beside what its business sees of it everywhere: when it is looked at next, what its rail said,
// and when it had succeeded before it came back.

import type { Context, Tenant } from '#base/context.ts'
import type { Moved } from '#ledger/movements.ts'
import type { Payment } from './payment.ts'
import { readBackground, type Background } from './sql-story.ts'
import { readRailsLeft, type RailLeft } from './sql-rail-change.ts'
import { readTries } from './sql-tries.ts'
import type { Try } from './tries.ts'

export type { Try } from './tries.ts'

export type { RailLeft } from './sql-rail-change.ts'

/** `railsLeft`: the first one first. */
export type PaymentStory = Background & { tries: Try[]; railsLeft: RailLeft[] }

export async function readPaymentStory(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  payment: Payment,
): Promise<PaymentStory> {
  const { id, reference, attempts } = payment
  const [background, tries, railsLeft] = await Promise.all([
    readBackground(db, tenant, reference),
    readTries(db, tenant, id),
    attempts === 1 ? [] : readRailsLeft(db, payment),
  ])
  return {
    ...background,
    railsLeft,
    tries: tries.toSorted((left, right) => left.firstAt.getTime() - right.firstAt.getTime()),
  }
}

/** Whose movements are a payment's, and when it made how many. A collection moves money as the deposit that it made. */
export function movedBy(payment: Payment, { succeededAt }: Background): { sourceId: Payment['id']; moved: Moved[] } {
  const { id, status, fee, createdAt, completedAt } = payment
  const pair = fee > 0n ? 2 : 1
  if (payment.kind === 'momo_collection') {
    const { depositId } = payment
    if (depositId === null || completedAt === null) return { sourceId: id, moved: [] }
    return { sourceId: depositId, moved: [{ at: completedAt, count: pair }] }
  }
  const moved: Moved[] = [{ at: createdAt, count: 1 }]
  if (completedAt !== null) moved.push({ at: completedAt, count: status === 'FAILED' ? 1 : pair })
  if (succeededAt !== null) moved.push({ at: succeededAt, count: pair })
  return { sourceId: id, moved }
}
