// The endpoints for the team of a business: the list of members and roles, changing a role, removing a member, links to a
// new password, and invitations.

import { z } from 'zod'
import { judge, permissions, titleOf } from '#api/dashboard/permissions.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { requireId } from '#api/server/fields.ts'
import { environments } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import {
  inviteUser,
  withdrawInvitation,
  listInvitations,
  type InvitationMade,
  type InvitationRow,
} from '#users/invitations.ts'
import { linkTo } from '#users/links.ts'
import {
  changeRole,
  makeResetLink,
  listPeople,
  removeMember,
  type ListedPersonRow,
  type MemberOutcome,
  type ResetLinkOutcome,
} from '#users/members.ts'
import type { People } from '#users/service.ts'
import { roles } from '#users/user.ts'
import { email, notAllowed, role } from './fields.ts'

const base = '/dashboard/api/b/:business'
const idParams = z.object({ id: z.string() })

export function teamEndpoints({ ctx, box }: People, url: () => string): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: `${base}/people`,
      permission: 'signed-in',
      async handle({ business, role: own, person }) {
        const [members, invitations] = await Promise.all([
          listPeople(ctx, business),
          judge('people.manage', own, 'production') === 'no' ? [] : listInvitations(ctx, business),
        ])
        const isYou = (id: Uuid): boolean => id === person.person.id
        return {
          data: {
            people: members.map((one) => ({ ...memberData(one), isYou: isYou(one.id) })),
            invitations: invitations.map(invitationData),
            sendsMail: ctx.sendsMail === true,
          },
        }
      },
    }),
    ...memberEndpoints({ ctx, box }, url),
    dashboardEndpoint({
      method: 'GET',
      path: `${base}/roles`,
      permission: 'signed-in',
      handle: () => Promise.resolve({ data: rolesData }),
    }),
  ]
}

function memberEndpoints({ ctx, box }: Pick<People, 'ctx' | 'box'>, url: () => string): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'PATCH',
      path: `${base}/people/:id`,
      permission: 'people.manage',
      stepUp: 'always',
      params: idParams,
      body: z.object({ role }),
      async handle({ params, body, business, person, by }) {
        const id = personIdOf(params)
        const manager = { businessId: business, by: by(), personId: person.person.id }
        requireDone(await changeRole(ctx, manager, id, body.role))
        const changed = (await listPeople(ctx, business)).find((one) => one.id === id)
        if (changed === undefined) throw personNotFound()
        return { data: { ...memberData(changed), isYou: false } }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${base}/people/:id`,
      permission: 'people.manage',
      stepUp: 'always',
      params: idParams,
      async handle({ params, business, person, by }) {
        const manager = { businessId: business, by: by(), personId: person.person.id }
        requireDone(await removeMember(ctx, manager, personIdOf(params)))
        return { data: {} }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${base}/people/:id/reset-link`,
      permission: 'people.manage',
      stepUp: 'always',
      params: idParams,
      async handle({ params, business, person, by }) {
        const manager = { businessId: business, by: by(), personId: person.person.id }
        const outcome = await makeResetLink(ctx, manager, personIdOf(params), box)
        return { data: shownResetLink(outcome, url()) }
      },
    }),
  ]
}

/** `link` is null if the service sent it by e-mail. */
function shownResetLink(outcome: ResetLinkOutcome, url: string): Record<string, unknown> {
  switch (outcome.kind) {
    case 'made': {
      const { token, expiresAt } = outcome.link
      return { link: linkTo(url, 'reset', token), expiresAt: expiresAt.toISOString() }
    }
    case 'mailed':
      return { link: null, expiresAt: outcome.expiresAt.toISOString() }
    case 'too-many-mails':
      throw tooManyMails('Too many links to a new password were sent to this person within a day.')
    case 'not-found':
      throw personNotFound()
    case 'not-allowed':
      throw new ApiError(
        'FORBIDDEN',
        'A reset link is for a user whose role is below yours in all their businesses. For others: manilla people reset EMAIL.',
      )
  }
}

function tooManyMails(sentence: string): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', `${sentence} Try again tomorrow.`)
}

const rolesData = {
  roles,
  permissions: permissions.map((name) => ({
    name,
    title: titleOf(name),
    ...Object.fromEntries(
      environments.map((environment) => [
        environment,
        Object.fromEntries(roles.map((one) => [one, judge(name, one, environment)])),
      ]),
    ),
  })),
}

function requireDone(outcome: MemberOutcome): void {
  switch (outcome.kind) {
    case 'done':
      return
    case 'not-found':
      throw personNotFound()
    case 'not-allowed':
      throw notAllowed()
    case 'last-owner':
      throw new ApiError('CONFLICT', 'A business must have at least one owner, and this is the last one.')
    case 'yourself':
      throw new ApiError('FORBIDDEN', 'You cannot change your own role. Ask another owner.')
  }
}

function personIdOf({ id }: { id: string }): Uuid {
  return requireId('person', id, personNotFound)
}

function personNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such user in this business.')
}

function memberData({ id, name, email: address, role: own, has_second_factor, seen_at }: ListedPersonRow) {
  return {
    id: formatId('person', id),
    name,
    email: address,
    role: own,
    hasSecondFactor: has_second_factor,
    seenAt: seen_at?.toISOString() ?? null,
  }
}

function invitationData({ id, email: address, role: own, created_at, expires_at, invited_by }: InvitationRow) {
  return {
    id: formatId('invitation', id),
    email: address,
    role: own,
    createdAt: created_at.toISOString(),
    expiresAt: expires_at.toISOString(),
    invitedBy: invited_by ?? 'a person at a terminal',
  }
}

const invitationsBase = '/dashboard/api/b/:business/invitations'

export function invitationEndpoints({ ctx, box }: People, url: () => string): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'POST',
      path: invitationsBase,
      permission: 'people.manage',
      stepUp: 'always',
      body: z.object({ email, role }),
      async handle({ body, business, person, by }) {
        const manager = { businessId: business, by: by(), personId: person.person.id }
        const outcome = await inviteUser(ctx, manager, body, box)
        return { data: shownInvitation(outcome, url(), body.email) }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${invitationsBase}/:id`,
      permission: 'people.manage',
      stepUp: 'always',
      params: z.object({ id: z.string() }),
      async handle({ params, business, person, by }) {
        const missing = (): ApiError =>
          new ApiError('NOT_FOUND', 'There is no such invitation. It was accepted or withdrawn.')
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

/** `link` is null if the service sent it by e-mail. */
function shownInvitation(outcome: InvitationMade, url: string, address: string): Record<string, unknown> {
  switch (outcome.kind) {
    case 'invited':
    case 'mailed':
      return {
        id: formatId('invitation', outcome.id),
        email: outcome.email,
        role: outcome.role,
        link: outcome.kind === 'mailed' ? null : linkTo(url, 'invitation', outcome.token),
        expiresAt: outcome.expiresAt.toISOString(),
      }
    case 'too-many-mails':
      throw tooManyMails(`Too many invitations were sent to ${address}, or by your business, within a day.`)
    case 'already':
      throw new ApiError('CONFLICT', `${address} already belongs to this business.`)
    case 'not-allowed':
      throw notAllowed()
  }
}
