// The operator's overview of the installation. It belongs to no business.

import { z } from 'zod'
import type { Actor } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, type IdKind, type Uuid } from '#platform/ids.ts'
import { amountMax, toWire, type Money } from '#platform/money.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { requireId, text } from '#api/server/fields.ts'
import { closeBreak, closeException, type Overview } from '#reporting/reporting.ts'
import { correctionEndpoints } from './corrections.ts'

export function operationsEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/operations',
      permission: 'operator',
      handle: async () => ({ data: shown(await rooms.insights.overview()) }),
    }),
    closing('exception', 'exception', (by, id, note) => closeException({ ...ctx, by }, id, note)),
    closing('break', 'railBreak', (by, id, note) => closeBreak({ ...ctx, by }, id, note)),
    ...correctionEndpoints(parts),
  ]
}

type Closed = { kind: 'closed' | 'was-closed'; closed: { closedAt: Date | null } } | { kind: 'not-found' }

/** A person says that they have looked, once. */
function closing(
  noun: 'exception' | 'break',
  kind: IdKind,
  close: (by: Actor, id: Uuid, note: string) => Promise<Closed>,
): DashboardEndpoint {
  const notFound = (): ApiError => new ApiError('NOT_FOUND', `There is no such ${noun}`)
  return dashboardEndpoint({
    method: 'POST',
    path: `/dashboard/api/operations/${noun}s/:id/close`,
    permission: 'operator',
    stepUp: 'always',
    params: z.object({ id: z.string() }),
    body: z.object({ note: text(500) }),
    handle: async ({ params, body, by }) => {
      const outcome = await close(by(), requireId(kind, params.id, notFound), body.note)
      if (outcome.kind === 'not-found') throw notFound()
      if (outcome.kind === 'was-closed') throw new ApiError('CONFLICT', 'It was closed before.')
      return { data: { id: params.id, closedAt: outcome.closed.closedAt?.toISOString() ?? null } }
    },
  })
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
    rails: rails.map(({ wallets, ...rail }) => ({
      ...rail,
      wallets:
        wallets?.map(({ currency, country, amount }) => ({
          currency,
          country: country ?? null,
          amount: toWire(amount),
        })) ?? null,
    })),
    exceptions: exceptions.map((one) => ({
      id: formatId('exception', one.id),
      kind: one.kind,
      environment: one.environment,
      subject: one.subject,
      reference: one.reference,
      businessId: one.businessId === null ? null : formatId('business', one.businessId),
      businessName: one.businessName,
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
      businessName: null,
      amount: one.amount === null || one.amount < 0n ? null : kobo(one.amount as Money),
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
function kobo(amount: Money | null): number | null {
  return amount === null || amount > amountMax ? null : toWire(amount)
}
