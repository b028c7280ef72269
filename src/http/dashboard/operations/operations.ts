// What whoever looks after the installation sees at one glance: it concerns no business.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { formatId, parseId } from '#base/ids.ts'
import { amountMax, toWire, type Kobo } from '#base/money.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { text } from '#http/fields.ts'
import { closeBreak, closeException, type Overview } from '#insights/insights.ts'

type Means = { ctx: EndpointParts['ctx']; insights: EndpointParts['rooms']['insights'] }

export function operationsEndpoints({ ctx, insights }: Means): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/operations',
      permission: 'operator',
      handle: async () => ({ data: shown(await insights.overview()) }),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/operations/exceptions/:id/close',
      permission: 'operator',
      params: z.object({ id: z.string() }),
      body: z.object({ note: text(500) }),
      handle: async ({ params, body, by }) => {
        const id = parseId('exception', params.id)
        const outcome = id === undefined ? undefined : await closeException({ ...ctx, by: by() }, id, body.note)
        if (outcome === undefined || outcome.kind === 'not-found')
          throw new ApiError('NOT_FOUND', 'There is no such exception')
        if (outcome.kind === 'was-closed') throw new ApiError('CONFLICT', 'Somebody has closed it before.')
        return { data: { id: params.id, closedAt: outcome.exception.closedAt?.toISOString() ?? null } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/operations/breaks/:id/close',
      permission: 'operator',
      params: z.object({ id: z.string() }),
      body: z.object({ note: text(500) }),
      handle: async ({ params, body, by }) => {
        const id = parseId('railBreak', params.id)
        const outcome = id === undefined ? undefined : await closeBreak({ ...ctx, by: by() }, id, body.note)
        if (outcome === undefined || outcome.kind === 'not-found')
          throw new ApiError('NOT_FOUND', 'There is no such break')
        if (outcome.kind === 'was-closed') throw new ApiError('CONFLICT', 'Somebody has closed it before.')
        return { data: { id: params.id, closedAt: outcome.closed.closedAt?.toISOString() ?? null } }
      },
    }),
  ]
}

function shown({
  rails,
  exceptions,
  exceptionsTotal,
  breaks,
  noticesStuck,
  pauses,
}: Overview): Record<string, unknown> {
  return {
    rails: rails.map(({ float, ...rail }) => ({ ...rail, float: kobo(float) })),
    exceptions: exceptions.map((one) => ({
      id: formatId('exception', one.id),
      kind: one.kind,
      environment: one.environment,
      subject: one.subject,
      reference: one.reference,
      businessId: one.businessId === null ? null : formatId('business', one.businessId),
      amount: kobo(one.amount),
      openedAt: one.raisedAt.toISOString(),
      says: one.fact,
    })),
    exceptionsTotal,
    breaks: breaks.map((one) => ({
      id: formatId('railBreak', one.id),
      kind: one.kind,
      environment: one.environment,
      rail: one.rail,
      subject: one.subject,
      reference: one.reference,
      businessId: null,
      amount: one.amount === null || one.amount < 0n ? null : kobo(one.amount as Kobo),
      openedAt: one.openedAt.toISOString(),
      says: one.fact,
    })),
    notices: { stuck: noticesStuck },
    pauses: pauses.map(({ environment, businessId, pausedAt }) => ({
      environment,
      businessId: businessId === undefined ? null : formatId('business', businessId),
      since: pausedAt.toISOString(),
    })),
  }
}

/** What a provider says may be more than a JSON integer carries exactly; then nobody is told a wrong number. */
function kobo(amount: Kobo | null): number | null {
  return amount === null || amount > amountMax ? null : toWire(amount)
}
