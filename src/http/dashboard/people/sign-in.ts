// Signing in and out, and the second factor of a moment ago.

import { z } from 'zod'
import type { Actor } from '#base/context.ts'
import { ApiError } from '#base/error.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { People, SignedIn } from '#people/people.ts'
import { endEverywhere, endOne } from '#people/sessions.ts'
import { enterCode, signIn, stepUp } from '#people/sign-in.ts'
import { codeEndpoint, codeRefused } from './code-endpoint.ts'
import { email, password, signedInReply, tooMany, wrongPassword } from './fields.ts'

export function signInEndpoints(people: People): DashboardEndpoint[] {
  return [
    withPassword(people),
    withCode(people),
    steppingUp(people),
    signingOut('/dashboard/api/sign-out', 'half', (by, person) => endOne(people.ctx, by, person, person.signInId)),
    signingOut('/dashboard/api/sign-out/everywhere', 'signed-in', (by, person) =>
      endEverywhere(people.ctx, by, person),
    ),
  ]
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
  return codeEndpoint('/dashboard/api/sign-in/code', 'half', async ({ code, visitor, person }) => {
    if (person.level === 'full') throw new ApiError('CONFLICT', 'You are signed in already.')
    const outcome = await enterCode(people, visitor, person, code)
    if (outcome.kind !== 'signed-in') throw codeRefused(outcome)
    return signedInReply(outcome.signIn)
  })
}

function steppingUp(people: People): DashboardEndpoint {
  return codeEndpoint('/dashboard/api/step-up', 'signed-in', async ({ code, visitor, person }) => {
    const outcome = await stepUp(people, visitor, person, code)
    if (outcome.kind !== 'stepped-up') throw codeRefused(outcome)
    const { token, untilMs } = outcome
    return { data: { steppedUpUntil: new Date(untilMs).toISOString() }, cookie: { token } }
  })
}

function signingOut(
  path: `/dashboard/api/sign-out${string}`,
  permission: 'half' | 'signed-in',
  end: (by: Actor, person: SignedIn) => Promise<unknown>,
): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path,
    permission,
    async handle({ person, by }) {
      await end(by(), person)
      return { data: {}, cookie: null }
    },
  })
}
