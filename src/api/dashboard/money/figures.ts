// The endpoint for the figures of a period: totals, next to those of the period before it, a series by hour or day, and the
// reasons of failed payments.

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

/** One end of the time range. It means the same as in the lists of the API, but is required. */
function requiredTime(end: typeof fromParameter) {
  return end.refine((time): time is Date => time !== undefined, 'is required').transform((time) => time)
}

/** Enough for a quarter by days and for a fortnight by hours. */
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
      // Figures are counted by the hour, so the range is widened to whole hours.
      const from = new Date(Math.floor(query.from.getTime() / hourMs) * hourMs)
      const to = new Date(Math.ceil(query.to.getTime() / hourMs) * hourMs)
      const spanMs = to.getTime() - from.getTime()
      if (spanMs <= 0 || spanMs > spanMsMax[by]) throw tooLong(by)
      // The period before has the same hours of earlier days, so that half a day is compared with half a day.
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

const nounOfKind: Record<PaymentKind, PaymentNoun> = {
  bank_transfer: 'transfers',
  momo_transfer: 'momo-transfers',
  momo_collection: 'collections',
}

/** Caps a sum at the largest JSON integer, positive or negative. Sums of test money can exceed it. */
function shownSum(amount: bigint): number {
  if (amount > amountMax) return toWire(amountMax)
  return toWire(toMoney(amount < -amountMax ? -amountMax : amount))
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
