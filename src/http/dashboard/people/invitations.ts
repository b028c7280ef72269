// Inviting somebody into a business, and taking it back.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { requireId } from '#http/fields.ts'
import { invite, withdrawInvitation } from '#people/invitations.ts'
import { linkTo } from '#people/links.ts'
import type { People } from '#people/people.ts'
import { email, notAllowed, role } from './fields.ts'

const base = '/dashboard/api/b/:business/invitations'

export function invitationEndpoints({ ctx }: People, url: () => string): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'POST',
      path: base,
      permission: 'people.manage',
      stepUp: 'always',
      body: z.object({ email, role }),
      async handle({ body, business, person, by }) {
        const outcome = await invite(ctx, { businessId: business, by: by(), personId: person.person.id }, body)
        switch (outcome.kind) {
          case 'invited':
            return {
              data: {
                id: formatId('invitation', outcome.id),
                email: outcome.email,
                role: outcome.role,
                link: linkTo(url(), 'invitation', outcome.token),
                expiresAt: outcome.expiresAt.toISOString(),
              },
            }
          case 'already':
            throw new ApiError('CONFLICT', `${body.email} is of this business already.`)
          case 'not-allowed':
            throw notAllowed()
        }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${base}/:id`,
      permission: 'people.manage',
      stepUp: 'always',
      params: z.object({ id: z.string() }),
      async handle({ params, business, person, by }) {
        const missing = (): ApiError =>
          new ApiError('NOT_FOUND', 'There is no such invitation: it was accepted or withdrawn.')
        const manager = { businessId: business, by: by(), personId: person.person.id }
        const outcome = await withdrawInvitation(ctx, manager, requireId('invitation', params.id, missing))
        switch (outcome.kind) {
          case 'done':
            return { data: {} }
          case 'not-found':
            throw missing()
          case 'not-allowed':
            throw notAllowed()
        }
      },
    }),
  ]
}
