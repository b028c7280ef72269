// Fields, responses and errors that several endpoints for users share.

import { z } from 'zod'
import {
  type DashboardReply,
  dashboardEndpoint,
  type DashboardEndpoint,
  type Visitor,
} from '#api/dashboard/endpoint.ts'
import { text, validationError } from '#api/server/fields.ts'
import type { Actor } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import type { NotProven, RemoveOutcome } from '#users/factors.ts'
import type { LinkOutcome } from '#users/links.ts'
import type { NewSignIn, SignedIn } from '#users/service.ts'
import type { TooMany } from '#users/sign-in.ts'
import { parseEmail, parseName, roles } from '#users/user.ts'

export const email = text(200)
  .refine((value) => parseEmail(value) !== undefined, 'must be an e-mail address')
  .transform((value) => parseEmail(value) ?? value)

export const name = text(100)
  .refine((value) => parseName(value) !== undefined, 'must be a name of 1 to 100 characters')
  .transform((value) => parseName(value) ?? value)

export const businessName = text(100).trim().min(1, 'must not be empty')

/** Limits only how much text is hashed. The rules for a new password are in the users module. */
export const password = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(1_000, 'must have at most 1000 characters')

export const token = text(100)
export const role = z.enum(roles, `must be one of ${roles.join(', ')}`)

/** The response after a sign-in. `next` is the step that is still due, such as a code; null if none is. */
export function signedInReply({ next, ...cookie }: NewSignIn): DashboardReply {
  return { data: { next }, cookie }
}

export function tooMany(outcome: TooMany): ApiError {
  return tooOften('Too many wrong guesses.', outcome)
}

export function tooManyRequests(outcome: TooMany): ApiError {
  return tooOften('Your network requested too many new passwords.', outcome)
}

function tooOften(sentence: string, { retryAfterMs }: TooMany): ApiError {
  const seconds = Math.ceil(retryAfterMs / 1_000)
  return new ApiError('RATE_LIMIT_EXCEEDED', `${sentence} Wait ${seconds} seconds, then try again.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

export function wrongPassword(): ApiError {
  return new ApiError('UNAUTHORIZED', 'E-mail address or password is wrong.')
}

export function unfit(field: string, sentence: string): ApiError {
  return validationError([{ field, message: `${field}: ${sentence}` }])
}

export function linkOver(): ApiError {
  return new ApiError('NOT_FOUND', 'This link has expired or was already used. Request a new one.')
}

export function linkReply(outcome: LinkOutcome): DashboardReply {
  switch (outcome.kind) {
    case 'signed-in':
      return signedInReply(outcome.signIn)
    case 'over':
      throw linkOver()
    case 'unfit':
      throw unfit('password', outcome.sentence)
  }
}

export function notProven(outcome: NotProven): ApiError {
  switch (outcome.kind) {
    case 'password-needed':
      return validationError([{ field: 'password', message: 'password is required', code: 'required' }])
    case 'wrong':
      return validationError([{ field: 'password', message: 'password is wrong' }])
    case 'too-many':
      return tooMany(outcome)
  }
}

export function removalReply(outcome: RemoveOutcome): DashboardReply {
  switch (outcome.kind) {
    case 'removed':
      return { data: {}, ...(outcome.token === undefined ? {} : { cookie: { token: outcome.token } }) }
    case 'not-found':
      throw new ApiError('NOT_FOUND', 'You have no such second factor. It may have been removed.')
    case 'compulsory':
      throw new ApiError(
        'CONFLICT',
        `${outcome.businessName} requires a second factor of your role. Add another one before you remove the last.`,
      )
  }
}

export function notAllowed(): ApiError {
  return new ApiError('FORBIDDEN', 'Your role may not do this to a user with their role. Ask an owner.')
}

type CodeInput = { code: string; person: SignedIn; visitor: Visitor; by: () => Actor }

const body = z.object({ code: text(40) })

export function codeEndpoint(
  path: `/dashboard/api/${string}`,
  permission: 'half' | 'signed-in',
  take: (input: CodeInput) => Promise<DashboardReply>,
): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path,
    permission,
    body,
    handle: ({ body: { code }, person, visitor, by }) => take({ code, person, visitor, by }),
  })
}

export function codeRefused({ kind }: { kind: 'wrong' | 'ended' | 'no-factor' | 'not-begun' }): ApiError {
  switch (kind) {
    case 'wrong':
      return validationError([{ field: 'code', message: 'code is wrong or was already used' }])
    case 'ended':
      return new ApiError('UNAUTHORIZED', 'Too many wrong codes. Sign in again.')
    case 'no-factor':
      return new ApiError('SECOND_FACTOR_REQUIRED', 'Set up a second factor under “My profile” first.')
    case 'not-begun':
      return new ApiError('CONFLICT', 'No setup of a second factor is under way. Begin again.')
  }
}
