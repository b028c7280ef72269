// What a business should look at first; how much it may pay out, and whether it may.

import { z } from 'zod'
import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { toWire, type Kobo } from '#base/money.ts'
import { text } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { hrefOf } from '#http/dashboard/pages.ts'
import { judge } from '#http/dashboard/permissions.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import type { AlertAbout } from '#insights/insights.ts'
import { showLimits } from '#payments/limits.ts'
import { pausePayouts, pausesOf, resumePayouts } from '#payments/brakes.ts'
import { lowBalanceAlert } from './low-balance.ts'

/** Collections wait in two statuses, which no filter names at once. */
const pages: Record<AlertAbout, { path: string; search?: Record<string, string> }> = {
  bank_transfer: { path: 'payments', search: { status: 'queued' } },
  momo_transfer: { path: 'payments', search: { tab: 'momo-transfers', status: 'queued' } },
  momo_collection: { path: 'payments', search: { tab: 'collections' } },
  webhooks: { path: 'webhooks' },
}

export function watchEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  const { insights } = rooms
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/alerts',
      permission: 'payments.see',
      handle: async ({ business, role, tenant }) => {
        const place = { business, environment: tenant.environment }
        const seesBalance = judge('balance.see', role, tenant.environment) === 'yes'
        const seesWebhooks = judge('webhooks.see', role, tenant.environment) !== 'no'
        const [alerts, low] = await Promise.all([
          insights.alerts({ business, tenant, seesWebhooks }),
          seesBalance ? lowBalanceAlert(parts, tenant, place) : undefined,
        ])
        const linked = alerts.map(({ about, ...alert }) => ({
          ...alert,
          href: about === null ? null : hrefOf({ ...place, ...pages[about] }),
        }))
        return { data: { alerts: low === undefined ? linked : [low, ...linked] } }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/limits',
      permission: 'payments.see',
      handle: async ({ tenant }) => {
        const { perPayment, perDay, left } = await showLimits(ctx, tenant)
        return { data: { perPayment: shown(perPayment), perDay: shown(perDay), leftToday: shown(left) } }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/pause',
      permission: 'payments.see',
      handle: async ({ business, tenant }) => ({ data: await pauseNow(ctx, business, tenant) }),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/b/:business/:environment/pause',
      permission: 'payouts.pause',
      body: z.object({
        isPaused: z.boolean('must be true or false'),
        reason: text(500).trim().min(1, 'must not be empty').optional(),
      }),
      handle: async ({ business, tenant, body: { isPaused, reason }, by }) => {
        if (reason === undefined && tenant.environment === 'production')
          throw validationError([{ field: 'reason', message: 'reason is required' }])
        const whose = { businessId: business, environment: tenant.environment, reason }
        const theirs = { ...ctx, by: by() }
        await (isPaused ? pausePayouts(theirs, whose) : resumePayouts(theirs, [tenant.lane], whose))
        return { data: await pauseNow(ctx, business, tenant) }
      },
    }),
  ]
}

/** `isByOperator`: whoever runs the installation has paused the payouts of all, which no business can lift. */
async function pauseNow(ctx: Context, business: Uuid, { environment }: Tenant): Promise<Record<string, unknown>> {
  const pauses = await pausesOf(ctx, business, environment)
  const own = pauses.find(({ businessId }) => businessId !== undefined)
  const [first = null] = pauses.map(({ pausedAt }) => pausedAt.toISOString()).toSorted()
  // What an operator wrote is about the installation, and for operators.
  const reason = own?.reason ?? null
  return { isPaused: pauses.length > 0, isByOperator: pauses.length > 0 && own === undefined, since: first, reason }
}

function shown(amount: Kobo | null): number | null {
  return amount === null ? null : toWire(amount)
}
