// What the endpoints about people take and show.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { text } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import { parseEmail, parseName, roles } from '#people/person.ts'
import type { LinkOutcome } from '#people/links.ts'
import type { NewSignIn } from '#people/people.ts'
import type { TooMany } from '#people/sign-in.ts'
import type { DashboardReply } from '#http/dashboard/endpoint.ts'

export const email = text(200)
  .refine((value) => parseEmail(value) !== undefined, 'must be an e-mail address')
  .transform((value) => parseEmail(value) ?? value)

export const name = text(100)
  .refine((value) => parseName(value) !== undefined, 'must be a name of 1 to 100 characters')
  .transform((value) => parseName(value) ?? value)

/** As long as it is not worth hashing, it is refused before; what a new one must be, the room says. */
export const password = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(1_000, 'must have at most 1000 characters')

export const token = text(100)
export const role = z.enum(roles, `must be one of ${roles.join(', ')}`)

/** A person signed in, or is half there. */
export function signedInReply({ next, ...cookie }: NewSignIn): DashboardReply {
  return { data: { next }, cookie }
}

export function tooMany({ retryAfterMs }: TooMany): ApiError {
  const seconds = Math.ceil(retryAfterMs / 1_000)
  return new ApiError('RATE_LIMIT_EXCEEDED', `Too many wrong guesses. Wait ${seconds} seconds, then try again.`, {
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
  return new ApiError('NOT_FOUND', 'This link was used, or its time is over. Ask for a new one.')
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

export function notAllowed(): ApiError {
  return new ApiError('FORBIDDEN', 'Your role may not do this to somebody with theirs. Ask an owner.')
}
