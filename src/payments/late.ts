// Payments that have not ended although most have by then.

import type { Context, Tenant } from '#base/context.ts'
import { minuteMs } from '#base/durations.ts'
import type { PaymentKind } from './payment.ts'
import { countLate } from './sql-story.ts'

const lateAfterMs = 10 * minuteMs
/** Of each kind; who has more knows enough. */
const countedMax = 1_000

export function readLate({ db, clock }: Context, tenant: Tenant): Promise<{ kind: PaymentKind; count: number }[]> {
  return countLate(db, tenant, new Date(clock.now() - lateAfterMs), countedMax)
}
