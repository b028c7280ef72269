// How the deliveries of a subscription fared in each of the last hours, at the same cost however many there are.

import type { Context, Tenant } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import { countByHour, type HourCount } from './sql-by-hour.ts'
import { readEnds } from './sql-log.ts'

export type { HourCount } from './sql-by-hour.ts'

const hours = 24

/**
 * How many of an hour are looked at, the latest of them: enough for nearly everybody's hour, and a fair sample of any other.
 */
const lookedAtMax = 500

/** The first hour first. The last one has not ended. Around each hour the clocks of several processes count as in log.ts. */
export async function deliveriesByHour(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  tenant: Tenant,
  subscriptionId: Uuid,
): Promise<HourCount[]> {
  const lastMs = Math.floor(clock.now() / hourMs) * hourMs
  const begins = Array.from({ length: hours }, (_, index) => new Date(lastMs - (hours - 1 - index) * hourMs))
  const ends = await readEnds(db, { tenant, subscriptionId })
  return countByHour(db, { tenant, subscriptionId }, { begins, ends, lookedAtMax })
}
