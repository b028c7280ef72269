// What takes a code of a second factor: to sign in, to step up, to set the factor up.

import { z } from 'zod'
import type { Actor } from '#base/context.ts'
import { ApiError } from '#base/error.ts'
import {
  dashboardEndpoint,
  type DashboardEndpoint,
  type DashboardReply,
  type Visitor,
} from '#http/dashboard/endpoint.ts'
import { text } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import type { SignedIn } from '#people/people.ts'

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

/** What is said of a code that was not taken. */
export function codeRefused({ kind }: { kind: 'wrong' | 'ended' | 'no-factor' | 'not-begun' }): ApiError {
  switch (kind) {
    case 'wrong':
      return validationError([{ field: 'code', message: 'code is wrong, or was used already' }])
    case 'ended':
      return new ApiError('UNAUTHORIZED', 'Too many codes were wrong. Sign in again.')
    case 'no-factor':
      return new ApiError('SECOND_FACTOR_REQUIRED', 'Set up a second factor under “My profile” first.')
    case 'not-begun':
      return new ApiError('CONFLICT', 'Nothing is being set up. Begin again.')
  }
}
