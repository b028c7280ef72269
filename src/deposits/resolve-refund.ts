// A person resolves a refund that does not get on: it was paid back by other means, or it is to be sent again. What its rail
// may have been asked for is asked about before it is sent again, so that it never leaves twice.

import { record } from '#audit/record.ts'
import type { Actor, Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { isOpen } from '#exceptions/exceptions.ts'
import { settleExceptions } from '#exceptions/raise.ts'
import { parseDepositReference } from './deposit.ts'
import type { RefundStatus } from './refund.ts'
import { subjectOf } from './send-back.ts'
import { findOpenRefund, lockRefund, resolveLocked } from './sql-refunds.ts'

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
