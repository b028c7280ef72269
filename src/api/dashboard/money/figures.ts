// Totals of a period, next to those of the period before it.

import { z } from 'zod'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { currencyField, fromParameter, toParameter } from '#api/server/fields.ts'
import { isTimeZone } from '#businesses/settings.ts'
import type { PaymentKind } from '#payments/payment.ts'
import { dayMs, hourMs } from '#platform/durations.ts'
import { ApiError } from '#platform/errors.ts'
import { amountMax, toMoney, toWire } from '#platform/money.ts'
import type { Insights, Totals } from '#reporting/reporting.ts'
import type { PaymentNoun } from './search.ts'

/** Parsed as [from, to), as in the lists of the API. */
function requiredTime(end: typeof fromParameter) {
  return end.refine((time): time is Date => time !== undefined, 'is required').transform((time) => time)
}

/** Days cover a quarter, hours a fortnight. */
const spanMsMax = { day: 100 * 24 * hourMs, hour: 15 * 24 * hourMs }

export function figuresEndpoint(insights: Insights): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/figures',
    permission: 'balance.see',
    query: z.object({
      from: requiredTime(fromParameter),
      to: requiredTime(toParameter),
      currency: currencyField,
      by: z.enum(['hour', 'day'], 'must be hour or day'),
      zone: z.string('must be given once').refine(isTimeZone, 'must be the zone of a place').default('Africa/Lagos'),
    }),
    handle: async ({ tenant, query: { by, zone, currency, ...query } }) => {
      // Totals are per whole hour; an hour that has begun counts.
      const from = new Date(Math.floor(query.from.getTime() / hourMs) * hourMs)
      const to = new Date(Math.ceil(query.to.getTime() / hourMs) * hourMs)
      const spanMs = to.getTime() - from.getTime()
      if (spanMs <= 0 || spanMs > spanMsMax[by]) throw tooLong(by)
      // The same hours of the days before, so that a day that is not over is compared with as much of another.
      const daysBefore = (time: Date): Date => new Date(time.getTime() - Math.ceil(spanMs / dayMs) * dayMs)
      const before = { from: daysBefore(from), to: daysBefore(to), by, zone, currency }
      const [now, earlier] = await Promise.all([
        insights.figures(tenant, { from, to, by, zone, currency }),
        insights.figures(tenant, before),
      ])
      const series = now.series.map(({ at, succeeded, failed, ...amounts }) => ({
        at: at.toISOString(),
        in: shownSum(amounts.in),
        out: shownSum(amounts.out),
        returned: shownSum(amounts.returned),
        succeeded,
        failed,
      }))
      const failureReasons = now.failureReasons.map(({ kind, ...reason }) => ({ noun: nounOfKind[kind], ...reason }))
      return { data: { totals: shown(now.totals), before: shown(earlier.totals), series, failureReasons } }
    },
  })
}

/** The list that has payments of this kind. */
const nounOfKind: Record<PaymentKind, PaymentNoun> = {
  bank_transfer: 'transfers',
  momo_transfer: 'momo-transfers',
  momo_collection: 'collections',
}

/** Sums of test money may exceed what JSON represents exactly; they are capped at that maximum. */
function shownSum(amount: bigint): number {
  const most = amount > 0n ? amountMax : -amountMax
  return toWire(toMoney(amount * amount > amountMax * amountMax ? most : amount))
}

function tooLong(by: 'hour' | 'day'): ApiError {
  const message = `to must be after from, and by no more than ${by === 'day' ? '100' : '15'} days`
  return new ApiError('VALIDATION_ERROR', message, { details: [{ field: 'to', message }] })
}

function shown(totals: Totals): Record<string, unknown> {
  const sum = ({ count, amount }: Totals['in']) => ({ count, amount: shownSum(amount) })
  return {
    ...totals,
    in: sum(totals.in),
    out: sum(totals.out),
    outByBank: sum(totals.outByBank),
    returned: sum(totals.returned),
    returnedByBank: sum(totals.returnedByBank),
    fees: shownSum(totals.fees),
  }
}
