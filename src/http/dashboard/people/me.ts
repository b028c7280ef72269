// Whoever is signed in: who they are, and what they may where.

import { z } from 'zod'
import { environments, type Environment } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import { version } from '#config.ts'
import { readSettings, type BusinessSettings } from '#businesses/settings.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { judge, permissions, type Permission } from '#http/dashboard/permissions.ts'
import { validationError } from '#http/validate.ts'
import type { People, SignedIn } from '#people/people.ts'
import type { Role } from '#people/person.ts'
import { changePassword, recoveryCodesLeft, rename } from '#people/profile.ts'
import { name, password, tooMany, unfit } from './fields.ts'

export function meEndpoints(people: People): DashboardEndpoint[] {
  return [showing(people), renaming(people), changingPassword(people)]
}

function showing({ ctx }: People): DashboardEndpoint {
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

function renaming({ ctx }: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'PATCH',
    path: '/dashboard/api/me',
    permission: 'signed-in',
    body: z.object({ name }),
    async handle({ body, person, by }) {
      await rename(ctx, by(), person, body.name)
      return { data: { ...personData(person.person), name: body.name } }
    },
  })
}

function changingPassword(people: People): DashboardEndpoint {
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

function personData({ id, name: shown, email, hasSecondFactor, isOperator }: SignedIn['person']) {
  return { id: formatId('person', id), name: shown, email, hasSecondFactor, isOperator }
}

function membershipData({ id, name: shown, timeZone, isCompulsoryFactor }: BusinessSettings, { roles }: SignedIn) {
  const role = roles.get(id) ?? 'viewer'
  const allowed = judged(role, (verdict) => verdict !== 'no')
  const stepUp = judged(role, (verdict) => verdict === 'step-up')
  return { id: formatId('business', id), name: shown, timeZone, role, isCompulsoryFactor, permissions: allowed, stepUp }
}

function judged(
  role: Role,
  is: (verdict: ReturnType<typeof judge>) => boolean,
): Record<Environment, readonly Permission[]> {
  const of = (environment: Environment): readonly Permission[] =>
    permissions.filter((permission) => is(judge(permission, role, environment)))
  const [staging, production] = environments.map(of)
  return { staging: staging ?? [], production: production ?? [] }
}
