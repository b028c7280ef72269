// The endpoints for passkeys: to sign in or step up with a passkey, and to list and change the user's own passkeys.

import { z } from 'zod'
import { dashboardEndpoint, type DashboardEndpoint, type DashboardReply } from '#api/dashboard/endpoint.ts'
import type { DashboardAddress } from '#api/dashboard/browser-security.ts'
import { requireId, text } from '#api/server/fields.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeyConfirmation,
  beginPasskeySignIn,
  enterPasskey,
  listPasskeys,
  type PasskeyRefusal,
  passkeysMax,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
  stepUpWithPasskey,
} from '#users/passkeys.ts'
import type { People } from '#users/service.ts'
import { name, notProven, password, removalReply, signedInReply, token } from './fields.ts'

const base64url = (max: number) => text(max).regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')

const credentialId = base64url(1_400)
const clientDataJSON = base64url(4_000)

/** The result of `navigator.credentials.get`; other fields of browsers are ignored. */
const usedCredential = z
  .object({
    id: credentialId,
    response: z.object({
      clientDataJSON,
      authenticatorData: base64url(4_000),
      signature: base64url(2_000),
      userHandle: base64url(100).nullish(),
    }),
  })
  .transform(({ id, response: { userHandle, ...response } }) => ({
    id,
    rawId: id,
    type: 'public-key' as const,
    clientExtensionResults: {},
    response: { ...response, ...(userHandle === null || userHandle === undefined ? {} : { userHandle }) },
  }))

/** The result of `navigator.credentials.create`. */
const newCredential = z
  .object({
    id: credentialId,
    response: z.object({
      clientDataJSON,
      attestationObject: base64url(20_000),
      transports: z.array(text(30), 'must be a list of words').max(8, 'must have at most 8 words').default([]),
    }),
  })
  .transform(({ id, response }) => ({
    id,
    rawId: id,
    type: 'public-key' as const,
    clientExtensionResults: {},
    response,
  }))

export function passkeySignInEndpoints(people: People, site: () => DashboardAddress): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/sign-in/passkey/begin',
      permission: 'public',
      handle: async () => ({ data: await beginPasskeySignIn(people, site()) }),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/sign-in/passkey',
      permission: 'public',
      body: z.object({ attempt: token, credential: usedCredential }),
      async handle({ body: { attempt, credential: response }, visitor }) {
        return signedIn(await signInWithPasskey(people, visitor, { attempt, response, site: site() }))
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/passkeys/confirm/begin',
      permission: 'half',
      async handle({ person }) {
        const options = await beginPasskeyConfirmation(people, person, site())
        if (options === undefined) throw new ApiError('SECOND_FACTOR_REQUIRED', 'You have no passkey. Enter a code.')
        return { data: { options } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/sign-in/code/passkey',
      permission: 'half',
      body: z.object({ credential: usedCredential }),
      async handle({ body: { credential: response }, visitor, person }) {
        if (person.level === 'full') throw new ApiError('CONFLICT', 'You are already signed in.')
        return signedIn(await enterPasskey(people, visitor, person, { response, site: site() }))
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/step-up/passkey',
      permission: 'signed-in',
      body: z.object({ credential: usedCredential }),
      async handle({ body: { credential: response }, visitor, person }) {
        const outcome = await stepUpWithPasskey(people, visitor, person, { response, site: site() })
        if (outcome.kind !== 'stepped-up') throw refused(outcome)
        const { token: newToken, untilMs } = outcome
        return { data: { steppedUpUntil: new Date(untilMs).toISOString() }, cookie: { token: newToken } }
      },
    }),
  ]
}

function signedIn(outcome: Awaited<ReturnType<typeof signInWithPasskey>>): DashboardReply {
  if (outcome.kind !== 'signed-in') throw refused(outcome)
  return signedInReply(outcome.signIn)
}

function refused({ kind }: PasskeyRefusal): ApiError {
  switch (kind) {
    case 'over':
      return new ApiError('CONFLICT', 'This attempt took longer than five minutes or was already used. Try again.')
    case 'wrong':
      return new ApiError('UNAUTHORIZED', 'This passkey was not accepted. Use another passkey or your password.')
  }
}

export function passkeyEndpoints(people: People, site: () => DashboardAddress): DashboardEndpoint[] {
  return [
    listEndpoint(people),
    beginEndpoint(people, site),
    addEndpoint(people, site),
    renameEndpoint(people),
    removeEndpoint(people),
  ]
}

function listEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/passkeys',
    permission: 'signed-in',
    async handle({ person }) {
      const rows = await listPasskeys(people, person)
      return {
        data: {
          passkeys: rows.map(({ id, name: shown, created_at, last_used_at }) => ({
            id: formatId('passkey', id),
            name: shown,
            createdAt: created_at.toISOString(),
            lastUsedAt: last_used_at?.toISOString() ?? null,
          })),
        },
      }
    },
  })
}

function beginEndpoint(people: People, site: () => DashboardAddress): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/passkeys/begin',
    permission: 'signed-in',
    // The password is required from a user without a second factor, unless they gave it in the last ten minutes.
    body: z.object({ password: password.optional() }).default({}),
    async handle({ body, visitor, person, requireStepUp }) {
      if (person.person.hasSecondFactor) requireStepUp()
      const outcome = await beginPasskey(people, visitor, person, { password: body.password, site: site() })
      switch (outcome.kind) {
        case 'begun':
          return { data: { options: outcome.options } }
        case 'full':
          throw tooManyPasskeys()
        case 'password-needed':
        case 'wrong':
        case 'too-many':
          throw notProven(outcome)
      }
    },
  })
}

function addEndpoint(people: People, site: () => DashboardAddress): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/passkeys',
    permission: 'signed-in',
    body: z.object({ name, credential: newCredential }),
    async handle({ body: { name: shown, credential: response }, person, by }) {
      const outcome = await addPasskey(people, by(), person, { name: shown, response, site: site() })
      switch (outcome.kind) {
        case 'added': {
          const { id, recoveryCodes, token: newToken } = outcome
          const cookie = newToken === undefined ? {} : { cookie: { token: newToken } }
          return { data: { id: formatId('passkey', id), recoveryCodes }, ...cookie }
        }
        case 'over':
          throw refused({ kind: 'over' })
        case 'wrong':
          throw new ApiError('CONFLICT', 'This passkey could not be added: it was made for another address.')
        case 'already':
          throw new ApiError('CONFLICT', 'This passkey was already added.')
        case 'full':
          throw tooManyPasskeys()
      }
    },
  })
}

function removeEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'DELETE',
    path: '/dashboard/api/passkeys/:id',
    permission: 'signed-in',
    stepUp: 'always',
    params: z.object({ id: z.string() }),
    handle: async ({ params, person, by }) =>
      removalReply(await removePasskey(people, by(), person, requireId('passkey', params.id, noPasskey))),
  })
}

function renameEndpoint(people: People): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'PATCH',
    path: '/dashboard/api/passkeys/:id',
    permission: 'signed-in',
    params: z.object({ id: z.string() }),
    body: z.object({ name }),
    async handle({ params, body, person, by }) {
      const id = requireId('passkey', params.id, noPasskey)
      if (!(await renamePasskey(people, by(), person, id, body.name))) throw noPasskey()
      return { data: {} }
    },
  })
}

function noPasskey(): ApiError {
  return new ApiError('NOT_FOUND', 'You have no such passkey. It may have been removed.')
}

function tooManyPasskeys(): ApiError {
  return new ApiError('CONFLICT', `You have ${passkeysMax} passkeys. Remove one before you add another.`)
}
