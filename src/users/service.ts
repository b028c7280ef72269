// The service for users of the dashboard: who they are, how they sign in, and their role in each business.

import type { RefusalLog } from '#audit/refusals.ts'
import type { Context } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { createPasswords, type PasswordHasher } from './passwords.ts'
import type { Person, UserRole } from './user.ts'
import { findSignedIn } from './sessions.ts'

export { roles } from './user.ts'
export type { Person } from './user.ts'
export type { UserRole } from './user.ts'

export type SignedIn = {
  signInId: Uuid
  person: Person
  /** `half`: the password was right, and the second factor is still due. */
  level: 'half' | 'full'
  /** Until then, the second factor counts as recently checked. 0: it was not checked. */
  steppedUpUntilMs: number
  /** Keyed by business. */
  roles: ReadonlyMap<Uuid, UserRole>
}

/** `deviceToken`: the cookie of a browser in which a user has signed in before. */
export type Visit = { address: string; device: string; requestId: string; deviceToken?: string | undefined }

export type NewSignIn = {
  token: string
  /** Set if the browser had no device cookie. */
  deviceToken?: string
  /** The step that is still required. `passkey`: a passkey, a code of an app or a recovery code. */
  next: 'code' | 'passkey' | null
}

export type UserDeps = { ctx: Context; box: SecretBox; passwords: PasswordHasher; refusals: Pick<RefusalLog, 'note'> }

export type People = UserDeps & {
  /** Undefined if the token is unknown or expired. */
  signedIn(token: string): Promise<SignedIn | undefined>
}

export function createPeople(ctx: Context, options: Omit<UserDeps, 'ctx' | 'passwords'> & Partial<UserDeps>): People {
  const parts = { passwords: createPasswords(), ...options, ctx }
  return { ...parts, signedIn: (token) => findSignedIn(ctx, token) }
}
