// From where a person is signed in, and how they end it.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { requireId } from '#http/fields.ts'
import type { People } from '#people/people.ts'
import { endOne, listSignIns } from '#people/sessions.ts'

export function signInsEndpoints({ ctx }: People): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/sign-ins',
      permission: 'signed-in',
      async handle({ person }) {
        const rows = await listSignIns(ctx, person)
        return {
          data: {
            signIns: rows.map(({ id, device, address, created_at, seen_at }) => ({
              id: formatId('signIn', id),
              device,
              address,
              createdAt: created_at.toISOString(),
              seenAt: seen_at.toISOString(),
              isThis: id === person.signInId,
            })),
          },
        }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: '/dashboard/api/sign-ins/:id',
      permission: 'signed-in',
      params: z.object({ id: z.string() }),
      async handle({ params, person, by }) {
        const notFound = (): ApiError => new ApiError('NOT_FOUND', 'There is no such sign-in of yours: it has ended.')
        const id = requireId('signIn', params.id, notFound)
        if (!(await endOne(ctx, by(), person, id))) throw notFound()
        return { data: {}, ...(id === person.signInId ? { cookie: null } : {}) }
      },
    }),
  ]
}
