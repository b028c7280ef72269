// Saved views: what a person calls a set of filters.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { formatId, type Uuid } from '#base/ids.ts'
import { listViews, removeView, saveView, viewsMax, type SavedView } from '#businesses/views.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { judge } from '#http/dashboard/permissions.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { requireId, text } from '#http/fields.ts'

const path = '/dashboard/api/b/:business/:environment/views'
const noun = z.string('must be a string').regex(/^[a-z-]{1,40}$/, 'must be the name of a list, such as transfers')
const queryLengthMax = 2_000

export function viewEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'payments.see',
      query: z.object({ noun: noun.optional() }),
      handle: async ({ tenant, person, query }) => {
        const views = await listViews(ctx, tenant, person.person.id, query.noun)
        return { data: { views: views.map((view) => shown(view, person.person.id)) } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path,
      permission: 'payments.see',
      // It says how a person looks, and changes nothing in the business.
      changesBusiness: false,
      body: z.object({
        noun,
        name: text(60).trim().min(1, 'must not be empty'),
        query: text(queryLengthMax, 0),
        isShared: z.boolean('must be true or false'),
      }),
      handle: async ({ tenant, person, body }) => {
        const personId = person.person.id
        const saved = await saveView(ctx, tenant, { ...body, personId })
        if (saved === undefined)
          throw new ApiError('CONFLICT', `There are ${viewsMax} saved views already. Remove one.`)
        return { data: shown(saved, personId) }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${path}/:id`,
      permission: 'payments.see',
      changesBusiness: false,
      params: z.object({ id: z.string() }),
      handle: async ({ tenant, person, role, params }) => {
        const id = requireId('savedView', params.id, noView)
        const anybodys = judge('settings.see', role, tenant.environment) !== 'no'
        if (!(await removeView(ctx, tenant, id, { personId: person.person.id, anybodys }))) throw noView()
        return { data: {} }
      },
    }),
  ]
}

function noView(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such view of yours.')
}

function shown({ id, noun: list, name, query, isShared, personId }: SavedView, you: Uuid): Record<string, unknown> {
  return { id: formatId('savedView', id), noun: list, name, query, isShared, isYours: personId === you }
}
