// What a person pasted, looked for in the environment that is shown, and offered from the other one.

import { z } from 'zod'
import { environments, type Environment, type Tenant } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import { toWire } from '#base/money.ts'
import { findTenant } from '#businesses/business.ts'
import { depositReference } from '#deposits/deposit.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { judge, type Permission } from '#http/dashboard/permissions.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { queryLengthMax, shapeOf, type Hit } from '#insights/insights.ts'
import type { Role } from '#people/people.ts'

export function findEndpoint({ ctx, rooms: { insights } }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/find',
    permission: 'payments.see',
    query: z.object({
      q: z
        .string('must be given once')
        .min(1, 'must not be empty')
        .max(queryLengthMax, `must have at most ${queryLengthMax} characters`),
    }),
    handle: async ({ business, role, tenant, query: { q } }) => {
      const shape = shapeOf(q)
      const looksLike = shape.kind === 'text' ? null : shape.kind === 'id' ? shape.of : shape.kind
      // A secret goes no further than here.
      if (shape.kind === 'secret-key') return { data: { hits: [], elsewhere: [], looksLike } }
      const look = async (where: Tenant | undefined): Promise<unknown[]> => {
        if (where === undefined) return []
        const hits = await insights.find(where, shape)
        return hits.filter((hit) => maySee(hit, role, where.environment)).map((hit) => shown(hit, where.environment))
      }
      const other = environments.find((name) => name !== tenant.environment) ?? tenant.environment
      const [hits, elsewhere] = await Promise.all([look(tenant), look(await findTenant(ctx, business, other))])
      return { data: { hits, elsewhere, looksLike } }
    },
  })
}

const needs: Record<string, Permission> = { key: 'keys.list', event: 'webhooks.see', subscription: 'webhooks.see' }

function maySee({ kind }: Hit, role: Role, environment: Environment): boolean {
  return judge(needs[kind] ?? 'payments.see', role, environment) !== 'no'
}

const kinds: Record<string, string> = {
  bank_transfer: 'transfer',
  momo_transfer: 'momo-transfer',
  momo_collection: 'collection',
}

function shown(hit: Hit, environment: Environment): Record<string, unknown> {
  const { kind, title, status, amount, at } = hit
  return {
    kind: kinds[kind] ?? kind,
    reference: referenceOf(hit),
    title,
    status,
    amount: amount === null ? null : toWire(amount),
    at: at.toISOString(),
    environment,
  }
}

/** By what its page is opened. */
function referenceOf({ kind, id, reference }: Hit): string {
  if (kind === 'deposit') return depositReference(id)
  if (kind === 'key' || kind === 'event') return formatId(kind, id)
  return kind === 'subscription' ? formatId('webhook', id) : reference
}
