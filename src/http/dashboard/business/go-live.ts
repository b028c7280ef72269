// Going live: a list that checks itself, and the first live key once nothing of it is open.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import type { Tenant } from '#base/context.ts'
import { present } from '#base/assert.ts'
import type { Uuid } from '#base/ids.ts'
import { findTenant } from '#businesses/business.ts'
import { listWaivers, waive } from '#businesses/go-live.ts'
import { listKeys } from '#businesses/keys.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { hrefOf } from '#http/dashboard/pages.ts'
import { judge, titleOf } from '#http/dashboard/permissions.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { text } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import type { Role } from '#people/people.ts'
import type { Forgery } from '#webhooks/forge.ts'
import { readPoints, type Point, type PointParts } from './go-live-points.ts'

const path = '/dashboard/api/b/:business/production/go-live'

type State = { points: (Omit<Point, 'isDone' | 'page'> & Judged)[]; isReady: boolean; hasLiveKey: boolean }
type Judged = { href: string | null; state: 'done' | 'open' | 'waived'; waivedBy: string | null; reason: string | null }

export function goLiveEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'settings.see',
      handle: async ({ business }) => ({ data: await readState(parts, business, await productionOf(parts, business)) }),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/waive`,
      permission: 'go-live',
      body: z.object({ id: text(40), reason: text(500).trim().min(1, 'must not be empty') }),
      handle: async ({ business, body, by }) => {
        const production = await productionOf(parts, business)
        const points = await readPoints(parts, business, production)
        if (!points.some(({ id }) => id === body.id))
          throw validationError([{ field: 'id', message: 'id names no point of the list' }])
        await waive({ ...parts.ctx, by: by() }, production, { point: body.id, reason: body.reason })
        return { data: await readState(parts, business, production) }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/b/:business/:environment/forgeries',
      permission: 'webhooks.see',
      handle: async ({ tenant, by }) => {
        const forgeries = await parts.rooms.webhooks.trials.forge(tenant, by())
        return { data: { webhooks: forgeries.map(shownForgery) } }
      },
    }),
  ]
}

function shownForgery({ subscription: { url }, verdict, responseCode }: Forgery): Record<string, unknown> {
  return { url, verdict, statusCode: responseCode }
}

/** The first live key is what going live is; whoever may make keys makes the others. Throws while something is open. */
export async function requireReady(
  parts: PointParts,
  { business, role, tenant }: { business: Uuid; role: Role; tenant: Tenant },
): Promise<void> {
  const { points, isReady, hasLiveKey } = await readState(parts, business, tenant)
  if (hasLiveKey) return
  if (judge('go-live', role, 'production') === 'no')
    throw new ApiError('FORBIDDEN', `Your role, ${role}, may not make the first live key: ${titleOf('go-live')}.`)
  if (isReady) return
  const open = points.filter(({ state }) => state === 'open').map(({ title }) => title)
  throw new ApiError('CONFLICT', `Before the first live key: ${open.join('; ')}.`)
}

async function readState(parts: PointParts, business: Uuid, production: Tenant): Promise<State> {
  const [found, waivers, keys] = await Promise.all([
    readPoints(parts, business, production),
    listWaivers(parts.ctx, production),
    listKeys(parts.ctx, business),
  ])
  const points = found.map(({ isDone, page, ...point }) => {
    const waiver = waivers.find((one) => one.point === point.id)
    const state = isDone ? ('done' as const) : waiver === undefined ? ('open' as const) : ('waived' as const)
    const href = page === null ? null : hrefOf({ business, ...page })
    return { ...point, href, state, waivedBy: waiver?.waivedBy ?? null, reason: waiver?.reason ?? null }
  })
  return {
    points,
    isReady: points.every(({ state }) => state !== 'open'),
    hasLiveKey: keys.some(({ environment }) => environment === 'production'),
  }
}

async function productionOf({ ctx }: PointParts, business: Uuid): Promise<Tenant> {
  return present(await findTenant(ctx, business, 'production'), 'a business has both tenants')
}
