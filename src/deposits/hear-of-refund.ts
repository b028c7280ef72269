// What a provider tells of a refund is a reason to ask its rail, and nothing more: the refund is due at once. Whoever holds its
// lease at this moment loses it, and what that one hears is asked for again; a refund that may have been asked for is never
// asked for anew without that.

import type { Context, Environment } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { findRefundOfMoney, hastenRefund } from './sql-refunds.ts'

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
