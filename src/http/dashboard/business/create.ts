// A further business, of somebody who owns one already.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { text } from '#http/fields.ts'
import { makeOwner } from '#people/members.ts'

/** Who owns more has programs to make them: manilla businesses create. */
const businessesMax = 50

export function createBusinessEndpoint({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/businesses',
    permission: 'signed-in',
    body: z.object({ name: text(100).trim().min(1, 'must not be empty') }),
    handle: async ({ person, body, by }) => {
      const roles = [...person.roles.values()]
      if (!roles.includes('owner')) throw new ApiError('FORBIDDEN', 'Only an owner of a business makes another one.')
      const personId = person.person.id
      const { id, name } = await createBusiness(
        { ...ctx, by: by() },
        body.name,
        async (tx, { id: businessId, createdAt }) => {
          const nowMs = createdAt.getTime()
          if (!(await makeOwner(tx, { businessId, personId, nowMs, businessesMax })))
            throw new ApiError('CONFLICT', `You are of ${businessesMax} businesses already.`)
        },
      )
      return { data: { id: formatId('business', id), name } }
    },
  })
}
