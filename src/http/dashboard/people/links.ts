// What stands behind a link: the first person's welcome, an invitation, a new password.

import { z } from 'zod'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { validationError } from '#http/validate.ts'
import { acceptInvitation } from '#people/invitations.ts'
import { lookAtLink, resetPassword, welcomeFirst } from '#people/links.ts'
import type { People } from '#people/people.ts'
import { email, linkOver, linkReply, name, password, token, tooMany, wrongPassword } from './fields.ts'

export function linkEndpoints(people: People): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/look',
      permission: 'public',
      body: z.object({ token }),
      async handle({ body }) {
        const seen = await lookAtLink(people, body.token)
        if (seen === undefined) throw linkOver()
        return { data: seen }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/welcome',
      permission: 'public',
      body: z.object({ token, name, email, password }),
      handle: async ({ body, visitor }) => linkReply(await welcomeFirst(people, visitor, body)),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/invitation',
      permission: 'public',
      body: z.object({ token, name: name.optional(), password: password.optional() }),
      async handle({ body, visitor, person }) {
        const outcome = await acceptInvitation(people, visitor, person, body)
        switch (outcome.kind) {
          case 'joined':
            return { data: { next: null } }
          case 'wrong':
            throw wrongPassword()
          case 'too-many':
            throw tooMany(outcome)
          case 'missing':
            throw validationError(outcome.fields.map((field) => ({ field, message: `${field} is required` })))
          case 'signed-in':
          case 'over':
          case 'unfit':
            return linkReply(outcome)
        }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/reset',
      permission: 'public',
      body: z.object({ token, password }),
      handle: async ({ body, visitor }) => linkReply(await resetPassword(people, visitor, body)),
    }),
  ]
}
