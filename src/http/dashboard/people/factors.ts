// The second factor of whoever is signed in.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { validationError } from '#http/validate.ts'
import { beginTotp, confirmTotpOf, removeTotpOf, renewRecoveryCodes } from '#people/factors.ts'
import type { People } from '#people/people.ts'
import { codeEndpoint, codeRefused } from './code-endpoint.ts'
import { password, tooMany } from './fields.ts'

export function factorEndpoints(people: People): DashboardEndpoint[] {
  return [beginning(people), confirming(people), removing(people), renewingCodes(people)]
}

function beginning(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/factors/totp/begin',
    permission: 'signed-in',
    // Needed unless they signed in a moment ago.
    body: z.object({ password: password.optional() }).default({}),
    async handle({ body, visitor, person }) {
      const outcome = await beginTotp(people, visitor, person, body.password)
      switch (outcome.kind) {
        case 'begun':
          return { data: { secret: outcome.secret, uri: outcome.uri } }
        case 'already':
          throw new ApiError('CONFLICT', 'You have a second factor. Remove it before you set up another one.')
        case 'password-needed':
          throw validationError([{ field: 'password', message: 'password is required' }])
        case 'wrong':
          throw validationError([{ field: 'password', message: 'password is wrong' }])
        case 'too-many':
          throw tooMany(outcome)
      }
    },
  })
}

function confirming(people: People): DashboardEndpoint {
  return codeEndpoint('/dashboard/api/factors/totp/confirm', 'signed-in', async ({ code, person, by }) => {
    const outcome = await confirmTotpOf(people, by(), person, code)
    if (outcome.kind !== 'confirmed') throw codeRefused(outcome)
    const { recoveryCodes, token } = outcome
    return { data: { recoveryCodes }, cookie: { token } }
  })
}

function removing(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'DELETE',
    path: '/dashboard/api/factors/totp',
    permission: 'signed-in',
    stepUp: 'always',
    handle: async ({ person, by }) => ({ data: {}, cookie: await removeTotpOf(people, by(), person) }),
  })
}

function renewingCodes(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/factors/recovery-codes',
    permission: 'signed-in',
    stepUp: 'always',
    async handle({ person, by }) {
      const recoveryCodes = await renewRecoveryCodes(people, by(), person)
      if (recoveryCodes === undefined)
        throw new ApiError('SECOND_FACTOR_REQUIRED', 'Recovery codes stand in for a second factor, and there is none.')
      return { data: { recoveryCodes } }
    },
  })
}
