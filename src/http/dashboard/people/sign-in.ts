// Signing in and out, and the second factor of a moment ago.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { People } from '#people/people.ts'
import { endEverywhere, endOne } from '#people/sessions.ts'
import { enterCode, signIn, stepUp } from '#people/sign-in.ts'
import { code, email, password, signedInReply, signInEnded, tooMany, wrongCode, wrongPassword } from './fields.ts'

export function signInEndpoints(people: People): DashboardEndpoint[] {
  return [withPassword(people), withCode(people), steppingUp(people), signingOut(people), signingOutEverywhere(people)]
}

function withPassword(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/sign-in',
    permission: 'public',
    body: z.object({ email, password }),
    async handle({ body, visitor }) {
      const outcome = await signIn(people, visitor, body)
      switch (outcome.kind) {
        case 'signed-in':
          return signedInReply(outcome.signIn)
        case 'wrong':
          throw wrongPassword()
        case 'too-many':
          throw tooMany(outcome)
      }
    },
  })
}

function withCode(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/sign-in/code',
    permission: 'half',
    body: z.object({ code }),
    async handle({ body, visitor, person }) {
      if (person.level === 'full') throw new ApiError('CONFLICT', 'You are signed in already.')
      const outcome = await enterCode(people, visitor, person, body.code)
      switch (outcome.kind) {
        case 'signed-in':
          return signedInReply(outcome.signIn)
        case 'wrong':
          throw wrongCode()
        case 'ended':
          throw signInEnded()
      }
    },
  })
}

function steppingUp(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/step-up',
    permission: 'signed-in',
    body: z.object({ code }),
    async handle({ body, visitor, person }) {
      const outcome = await stepUp(people, visitor, person, body.code)
      switch (outcome.kind) {
        case 'stepped-up':
          return {
            data: { steppedUpUntil: new Date(outcome.untilMs).toISOString() },
            cookie: { token: outcome.token },
          }
        case 'wrong':
          throw wrongCode()
        case 'ended':
          throw signInEnded()
        case 'no-factor':
          throw new ApiError('SECOND_FACTOR_REQUIRED', 'Set up a second factor under “My profile” first.')
      }
    },
  })
}

function signingOut(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/sign-out',
    permission: 'half',
    async handle({ person, by }) {
      await endOne(people.ctx, by(), person, person.signInId)
      return { data: {}, cookie: null }
    },
  })
}

function signingOutEverywhere(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/sign-out/everywhere',
    permission: 'signed-in',
    async handle({ person, by }) {
      await endEverywhere(people.ctx, by(), person)
      return { data: {}, cookie: null }
    },
  })
}
