// The endpoints with which signed-in users read and change their own account: name, password, memberships, permissions,
// authenticator app, recovery codes, sessions, and e-mails.

import { z } from 'zod'
import { judge, type Permission, permissions } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { requireId, validationError } from '#api/server/fields.ts'
import { type BusinessSettings, readSettings } from '#businesses/settings.ts'
import { version } from '#config.ts'
import { type LetterReader, mayGet, readChoices, saveChoice } from '#mail/queue.ts'
import { alwaysSent, chosenKinds } from '#mail/letter.ts'
import { type Context, type Environment, environments } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { beginTotp, confirmTotpOf, removeTotpOf, renewRecoveryCodes } from '#users/factors.ts'
import { changePassword, recoveryCodesLeft, renameUser } from '#users/profile.ts'
import type { People, SignedIn } from '#users/service.ts'
import { endOneSignIn, listSignIns } from '#users/sessions.ts'
import type { UserRole } from '#users/user.ts'
import { codeEndpoint, codeRefused, name, notProven, password, removalReply, tooMany, unfit } from './fields.ts'

export function meEndpoints(people: People): DashboardEndpoint[] {
  return [meEndpoint(people), renameEndpoint(people), passwordEndpoint(people)]
}

function meEndpoint({ ctx }: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/me',
    permission: 'signed-in',
    async handle({ person: who }) {
      const [left, shown] = await Promise.all([recoveryCodesLeft(ctx, who), readSettings(ctx, [...who.roles.keys()])])
      const { person, signInId: id, steppedUpUntilMs } = who
      const steppedUpUntil = steppedUpUntilMs > ctx.clock.now() ? new Date(steppedUpUntilMs).toISOString() : null
      return {
        data: {
          person: { ...personData(person), recoveryCodesLeft: left },
          signIn: { id: formatId('signIn', id), steppedUpUntil },
          businesses: shown.map((business) => membershipData(business, who)),
          version,
        },
      }
    },
  })
}

function renameEndpoint({ ctx }: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'PATCH',
    path: '/dashboard/api/me',
    permission: 'signed-in',
    body: z.object({ name }),
    async handle({ body, person, by }) {
      await renameUser(ctx, by(), person, body.name)
      return { data: { ...personData(person.person), name: body.name } }
    },
  })
}

function passwordEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/password',
    permission: 'signed-in',
    body: z.object({ current: password, next: password }),
    async handle({ body, person, visitor, by }) {
      const outcome = await changePassword(people, by(), visitor, person, body)
      switch (outcome.kind) {
        case 'changed':
          return { data: {}, cookie: { token: outcome.token } }
        case 'wrong':
          throw validationError([{ field: 'current', message: 'current is not your password' }])
        case 'unfit':
          throw unfit('next', outcome.sentence)
        case 'too-many':
          throw tooMany(outcome)
      }
    },
  })
}

function personData({ id, ...person }: SignedIn['person']) {
  const { name: shown, email, hasSecondFactor, hasApp, hasPasskey, isOperator } = person
  return { id: formatId('person', id), name: shown, email, hasSecondFactor, hasApp, hasPasskey, isOperator }
}

function membershipData({ id, name: shown, timeZone, compulsoryFactorRoles }: BusinessSettings, { roles }: SignedIn) {
  const role = roles.get(id) ?? 'viewer'
  const allowed = judged(role, (verdict) => verdict !== 'no')
  const stepUp = judged(role, (verdict) => verdict === 'step-up')
  const isFactorCompulsory = compulsoryFactorRoles.includes(role)
  return { id: formatId('business', id), name: shown, timeZone, role, isFactorCompulsory, permissions: allowed, stepUp }
}

function judged(
  role: UserRole,
  is: (verdict: ReturnType<typeof judge>) => boolean,
): Record<Environment, readonly Permission[]> {
  const of = (environment: Environment): readonly Permission[] =>
    permissions.filter((permission) => is(judge(permission, role, environment)))
  const [staging, production] = environments.map(of)
  return { staging: staging ?? [], production: production ?? [] }
}

export function factorEndpoints(people: People): DashboardEndpoint[] {
  return [
    beginAppEndpoint(people),
    confirmAppEndpoint(people),
    removeAppEndpoint(people),
    recoveryCodesEndpoint(people),
  ]
}

function beginAppEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/factors/totp/begin',
    permission: 'signed-in',
    // The password is required unless the user gave it, or a second factor, in the last ten minutes.
    body: z.object({ password: password.optional() }).default({}),
    async handle({ body, visitor, person, requireStepUp }) {
      if (person.person.hasSecondFactor && !person.person.hasApp) requireStepUp()
      const outcome = await beginTotp(people, visitor, person, body.password)
      switch (outcome.kind) {
        case 'begun':
          return { data: { secret: outcome.secret, uri: outcome.uri } }
        case 'already':
          throw new ApiError('CONFLICT', 'You have an authenticator app. Remove it before you set up another one.')
        case 'password-needed':
        case 'wrong':
        case 'too-many':
          throw notProven(outcome)
      }
    },
  })
}

function confirmAppEndpoint(people: People): DashboardEndpoint {
  return codeEndpoint('/dashboard/api/factors/totp/confirm', 'signed-in', async ({ code, person, by }) => {
    const outcome = await confirmTotpOf(people, by(), person, code)
    if (outcome.kind !== 'confirmed') throw codeRefused(outcome)
    const { recoveryCodes, token } = outcome
    return { data: { recoveryCodes }, cookie: { token } }
  })
}

function removeAppEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'DELETE',
    path: '/dashboard/api/factors/totp',
    permission: 'signed-in',
    stepUp: 'always',
    handle: async ({ person, by }) => removalReply(await removeTotpOf(people, by(), person)),
  })
}

function recoveryCodesEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/factors/recovery-codes',
    permission: 'signed-in',
    stepUp: 'always',
    async handle({ person, by }) {
      const recoveryCodes = await renewRecoveryCodes(people, by(), person)
      if (recoveryCodes === undefined)
        throw new ApiError(
          'SECOND_FACTOR_REQUIRED',
          'Recovery codes replace a second factor. Set up a second factor first.',
        )
      return { data: { recoveryCodes } }
    },
  })
}

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
        const notFound = (): ApiError => new ApiError('NOT_FOUND', 'You have no such session. It has ended.')
        const id = requireId('signIn', params.id, notFound)
        if (!(await endOneSignIn(ctx, by(), person, id))) throw notFound()
        return { data: {}, ...(id === person.signInId ? { cookie: null } : {}) }
      },
    }),
  ]
}

const path = '/dashboard/api/b/:business/mails'

export function mailEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'signed-in',
      handle: async ({ business, role, person }) => ({
        data: await shownChoices(ctx, readerOf(business, role, person)),
      }),
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path,
      permission: 'signed-in',
      changesBusiness: false,
      body: z.object({
        kind: z.enum(chosenKinds, `must be one of ${chosenKinds.join(', ')}`),
        wants: z.boolean('must be true or false'),
      }),
      handle: async ({ business, role, person, body }) => {
        const reader = readerOf(business, role, person)
        if (!mayGet(body.kind, reader)) throw new ApiError('FORBIDDEN', 'Your role does not get this e-mail.')
        await saveChoice(ctx, reader, body)
        return { data: await shownChoices(ctx, reader) }
      },
    }),
  ]
}

function readerOf(businessId: Uuid, role: UserRole, { person }: SignedIn): LetterReader {
  return { personId: person.id, businessId, role, isOperator: person.isOperator }
}

async function shownChoices(ctx: Context, reader: LetterReader): Promise<Record<string, unknown>> {
  const always = alwaysSent.map((title) => ({ title }))
  return { sendsMail: ctx.sendsMail === true, choices: await readChoices(ctx, reader), always }
}
