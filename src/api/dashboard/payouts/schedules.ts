// The endpoints for payout schedules: approved drafts that are paid at a set time, or every week or month.

import { z } from 'zod'
import { judge } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { currencyName, validationError } from '#api/server/fields.ts'
import {
  isLastDayOfMonth,
  runActs,
  scheduleActs,
  timeIn,
  type ScheduleAct,
  type ScheduleRequest,
} from '#payouts/schedules.ts'
import type { ForecastRun, Payouts, Schedule, ScheduleTerms } from '#payouts/service.ts'
import type { Tenant } from '#platform/context.ts'
import { dayMs } from '#platform/durations.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { add, amountMax, toWire, zero } from '#platform/money.ts'
import { createShown, idOf, personOf, submitted, type DraftPlace } from './drafts.ts'
import { shownTerms } from './schedule-terms.ts'

const place = '/dashboard/api/b/:business/:environment'
const path = `${place}/payout-schedules`
const idParams = z.object({ id: z.string() })

const aheadMaxDays = 731
const shortDays = 7
const longDays = 30
const runsShownMax = 5

const termsBody = z.object({
  repeats: z.enum(['never', 'weekly', 'monthly'], 'must be never, weekly or monthly'),
  /** The date of the first run; `time` is its time. Both are in Lagos time. */
  date: z.string('must be a string').regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2026-12-31'),
  time: z.string('must be a string').regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00'),
  /** For monthly schedules: every run is on the last day of its month, not on the day of the first run. */
  isLastDay: z.boolean('must be true or false').default(false),
  approval: z.enum(['once', 'each'], 'must be once or each').default('once'),
  confirmedDuplicates: z.int('must be a number').min(0).default(0),
})

/** The run that the person was shown. */
const runBody = z.object({ runAt: z.iso.datetime('must be a time such as 2026-12-31T08:00:00.000Z') })

export function scheduleEndpoints(parts: Pick<EndpointParts, 'ctx' | 'rooms'>): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  const { payouts } = rooms
  const shown = createShown(parts, payouts)
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'payments.see',
      query: z.object({ ended: z.enum(['yes', 'no'], 'must be yes or no').default('no') }),
      handle: async ({ tenant, query }) => {
        const found = await payouts.schedules(tenant, query.ended === 'yes')
        return { data: { schedules: found.map((schedule) => shownSchedule(schedule, ctx.clock.now())) } }
      },
    }),
    forecastEndpoint(parts),
    dashboardEndpoint({
      method: 'POST',
      path: `${place}/payout-drafts/:id/schedule`,
      permission: 'payouts.propose',
      params: idParams,
      body: termsBody,
      handle: async (input) => {
        const id = idOf(input.params.id)
        const terms = termsOf(input.body, ctx.clock.now())
        await submitted(payouts, input, id, input.body.confirmedDuplicates, terms)
        return shown(input, id)
      },
    }),
    ...scheduleActs.map((act) =>
      dashboardEndpoint({
        method: 'POST',
        path: `${path}/:id/${act}`,
        permission: 'payouts.propose',
        params: idParams,
        handle: async (input) => {
          await actOn(payouts, input, input.params.id, { act })
          return { data: {} }
        },
      }),
    ),
    ...runActs.map((act) =>
      dashboardEndpoint({
        method: 'POST',
        path: `${path}/:id/${act}`,
        permission: 'payouts.propose',
        params: idParams,
        body: runBody,
        handle: async (input) => {
          await actOn(payouts, input, input.params.id, { act, runAt: new Date(input.body.runAt) })
          return { data: {} }
        },
      }),
    ),
  ]
}

function forecastEndpoint({
  ctx,
  rooms: { payouts, ledger },
}: Pick<EndpointParts, 'ctx' | 'rooms'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: `${place}/payout-forecast`,
    permission: 'payments.see',
    query: z.object({ currency: currencyName.default('NGN') }),
    handle: async ({ tenant, role, query }) => {
      const all = await payouts.forecast(tenant, longDays)
      const runs = all.filter(({ currency }) => currency === query.currency)
      const seesBalance = judge('balance.see', role, tenant.environment) === 'yes'
      const balances = seesBalance ? await ledger.balances(tenant) : []
      const available = balances.find(({ currency }) => currency === query.currency)?.available
      return {
        data: {
          available: available === undefined ? null : toWire(available),
          ...shownForecast(runs, ctx.clock.now()),
        },
      }
    },
  })
}

function termsOf(body: z.output<typeof termsBody>, nowMs: number): ScheduleTerms {
  const { repeats, date, time, isLastDay, approval } = body
  const firstAt = timeIn(date, time)
  const wrong = (message: string): ApiError => validationError([{ field: 'date', message }])
  if (firstAt === undefined) throw wrong('must be a day that exists')
  if (firstAt.getTime() <= nowMs) throw wrong('must be in the future')
  if (firstAt.getTime() > nowMs + aheadMaxDays * dayMs) throw wrong('must be within two years')
  if (isLastDay && !isLastDayOfMonth(date)) throw wrong('must be the last day of its month')
  const monthDay = isLastDay ? 31 : Number(date.slice(-2))
  return { repeats, monthDay: repeats === 'monthly' ? monthDay : null, firstAt, approval }
}

const wrongState: Record<ScheduleAct, string> = {
  pause: 'Only an active schedule can be paused.',
  resume: 'Only a paused schedule can be resumed.',
  skip: 'This schedule has no run to skip.',
  run: 'Only a run that is late can be sent by hand.',
  end: 'This schedule has ended.',
}

async function actOn(
  payouts: Payouts,
  input: DraftPlace & { tenant: Tenant },
  id: string,
  request: ScheduleRequest,
): Promise<void> {
  const { kind } = await payouts.actOnSchedule(input.tenant, personOf(input), idOf(id), request)
  switch (kind) {
    case 'done':
      return
    case 'not-found':
      throw new ApiError('NOT_FOUND', 'There is no such approved schedule.')
    case 'wrong-schedule-state':
      throw new ApiError('CONFLICT', `${wrongState[request.act]} Reload the page.`)
    case 'other-run':
      throw new ApiError(
        'CONFLICT',
        'The next run changed since you opened this page. Reload the page and check it again.',
      )
  }
}

function shownSchedule(schedule: Schedule, nowMs: number): Record<string, unknown> {
  const { draftId, title, makerName, rows, currency, total, fees } = schedule
  return {
    ...shownTerms(schedule, schedule, nowMs),
    id: formatId('payoutDraft', draftId),
    title,
    maker: makerName,
    rows,
    currency,
    total: toWire(total),
    fees: toWire(fees),
  }
}

function shownForecast(runs: ForecastRun[], nowMs: number): Record<string, unknown> {
  const within = (days: number) => {
    const those = runs.filter(({ at }) => at.getTime() < nowMs + days * dayMs)
    const sum = those.reduce((before, { amount }) => add(before, amount), zero)
    // A sum above the largest JSON integer is shown as that integer: no balance can cover either of them.
    return { runs: those.length, amount: toWire(sum > amountMax ? amountMax : sum) }
  }
  return {
    short: { days: shortDays, ...within(shortDays) },
    long: { days: longDays, ...within(longDays) },
    next: runs.slice(0, runsShownMax).map(({ schedule, draft, title, at, amount }) => ({
      id: formatId('payoutDraft', draft ?? schedule),
      title,
      at: at.toISOString(),
      amount: toWire(amount),
    })),
  }
}
