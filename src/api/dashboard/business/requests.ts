// The endpoints for a business's requests to the API in the last seven days, for its developers.

import { z } from 'zod'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { fromParameter, limitParameter, text, toParameter, validationError } from '#api/server/fields.ts'
import { findRequests, keptDays, keptPerMinute, listRequests, type ApiRequest } from '#businesses/request-log.ts'
import { formatId, parseId, type Uuid } from '#platform/ids.ts'

const path = '/dashboard/api/b/:business/:environment/requests'
const statusClasses = { '2xx': 2, '4xx': 4, '5xx': 5 } as const
const statusClass = z
  .enum(Object.keys(statusClasses) as (keyof typeof statusClasses)[], 'must be one of 2xx, 4xx, 5xx')
  .transform((name) => statusClasses[name])
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function requestEndpoints({ ctx, v1 }: Pick<EndpointParts, 'ctx' | 'v1'>): DashboardEndpoint[] {
  const routes = (): string[] => [...new Set(v1.map((one) => one.path))].toSorted()
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'requests.see',
      query: z.object({
        status: statusClass.optional(),
        route: text(200).optional(),
        key: text(100).optional(),
        from: fromParameter,
        to: toParameter,
        limit: limitParameter,
        behind: text(36).regex(uuidForm, 'must be the value of next in the response before').optional(),
      }),
      handle: async ({ tenant, query: { status, route, key, from, to, limit, behind } }) => {
        const { requests, next, lookedBackTo } = await listRequests(ctx, tenant, {
          statusClass: status ?? null,
          route: route ?? null,
          keyId: key === undefined ? null : keyIdOf(key),
          from: from ?? null,
          before: to ?? null,
          behind: (behind as Uuid | undefined) ?? null,
          limit,
        })
        const data = { requests: requests.map(shownRequest), next, lookedBackTo: lookedBackTo?.toISOString() ?? null }
        return { data: { ...data, routes: routes(), keptDays, keptPerMinute } }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: `${path}/:requestId`,
      permission: 'requests.see',
      params: z.object({ requestId: z.string().max(128, 'must have at most 128 characters') }),
      handle: async ({ tenant, params: { requestId } }) => {
        const requests = await findRequests(ctx, tenant, requestId)
        return { data: { requests: requests.map(shownRequest), keptDays } }
      },
    }),
  ]
}

function keyIdOf(unchecked: string): Uuid {
  const id = parseId('key', unchecked)
  if (id === undefined) throw validationError([{ field: 'key', message: 'key must be the id of a key, key_…' }])
  return id
}

function shownRequest(request: ApiRequest): Record<string, unknown> {
  const { id, at, requestId, keyId, method, route, reference, status, errorCode, durationMs } = request
  const { address, agent, body, faults } = request
  return {
    id,
    at: at.toISOString(),
    requestId,
    key: formatId('key', keyId),
    method,
    route,
    reference,
    status,
    errorCode,
    durationMs,
    address,
    agent,
    body: body === null ? null : (JSON.parse(body) as unknown),
    faults: faults === null ? [] : (JSON.parse(faults) as unknown),
  }
}
