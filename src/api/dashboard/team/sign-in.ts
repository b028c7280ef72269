// The endpoints for signing in and out, for the check of a second factor, and for the pages behind a one-time link: welcome,
// invitation, new password.

import { z } from 'zod'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { validationError } from '#api/server/fields.ts'
import { renameBusiness } from '#businesses/settings.ts'
import type { Actor } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { requestReset } from '#users/password-resets.ts'
import { acceptInvitation } from '#users/invitations.ts'
import { hasPeople, readLink, resetPassword, welcomeFirst, type NameBusiness } from '#users/links.ts'
import type { People, SignedIn } from '#users/service.ts'
import { endAllSignIns, endOneSignIn } from '#users/sessions.ts'
import { enterCode, signIn, stepUp } from '#users/sign-in.ts'
import {
  businessName,
  codeEndpoint,
  codeRefused,
  email,
  password,
  signedInReply,
  tooMany,
  tooManyRequests,
  wrongPassword,
  linkOver,
  linkReply,
  name,
  token,
} from './fields.ts'

export function signInEndpoints(people: People): DashboardEndpoint[] {
  return [
    signInPageEndpoint(people),
    passwordEndpoint(people),
    codeOfSignInEndpoint(people),
    stepUpEndpoint(people),
    signOutEndpoint('/dashboard/api/sign-out', 'half', (by, person) =>
      endOneSignIn(people.ctx, by, person, person.signInId),
    ),
    signOutEndpoint('/dashboard/api/sign-out/everywhere', 'signed-in', (by, person) =>
      endAllSignIns(people.ctx, by, person),
    ),
  ]
}

function signInPageEndpoint({ ctx }: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/sign-in',
    permission: 'public',
    handle: async () => ({ data: { sendsMail: ctx.sendsMail === true, hasPeople: await hasPeople(ctx) } }),
  })
}

function passwordEndpoint(people: People): DashboardEndpoint {
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

function codeOfSignInEndpoint(people: People): DashboardEndpoint {
  return codeEndpoint('/dashboard/api/sign-in/code', 'half', async ({ code, visitor, person }) => {
    if (person.level === 'full') throw new ApiError('CONFLICT', 'You are already signed in.')
    const outcome = await enterCode(people, visitor, person, code)
    if (outcome.kind !== 'signed-in') throw codeRefused(outcome)
    return signedInReply(outcome.signIn)
  })
}

function stepUpEndpoint(people: People): DashboardEndpoint {
  return codeEndpoint('/dashboard/api/step-up', 'signed-in', async ({ code, visitor, person }) => {
    const outcome = await stepUp(people, visitor, person, code)
    if (outcome.kind !== 'stepped-up') throw codeRefused(outcome)
    const { token: newToken, untilMs } = outcome
    return { data: { steppedUpUntil: new Date(untilMs).toISOString() }, cookie: { token: newToken } }
  })
}

function signOutEndpoint(
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

// The pages behind a one-time link: the welcome of the first user, an invitation, a new password.

export function linkEndpoints(people: People): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/look',
      permission: 'public',
      body: z.object({ token }),
      async handle({ body, person }) {
        const seen = await readLink(people, body.token, person)
        if (seen === undefined) throw linkOver()
        return { data: seen }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/welcome',
      permission: 'public',
      body: z.object({ token, name, email, password, businessName: businessName.optional() }),
      async handle({ body: { businessName: named, ...newcomer }, visitor }) {
        const nameBusiness: NameBusiness = (tx, business) =>
          named === undefined ? Promise.resolve() : renameBusiness(tx, people.ctx, business, named)
        return linkReply(await welcomeFirst(people, visitor, newcomer, nameBusiness))
      },
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
            throw validationError([{ field: 'password', message: 'password is required', code: 'required' }])
          case 'signed-in':
          case 'over':
          case 'unfit':
            return linkReply(outcome)
        }
      },
    }),
    forgottenEndpoint(people),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/links/reset',
      permission: 'public',
      body: z.object({ token, password }),
      handle: async ({ body, visitor }) => linkReply(await resetPassword(people, visitor, body)),
    }),
  ]
}

function forgottenEndpoint({ ctx }: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/links/forgotten',
    permission: 'public',
    body: z.object({ email }),
    async handle({ body, visitor }) {
      const outcome = await requestReset(ctx, visitor, body.email)
      if (outcome.kind === 'too-many') throw tooManyRequests(outcome)
      return { data: {} }
    },
  })
}
