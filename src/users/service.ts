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

/**
 * Where a request comes from. `deviceToken` is the value of a second cookie, which is set at the first sign-in on a
 * device.
 */
export type Visit = { address: string; device: string; requestId: string; deviceToken?: string | undefined }

/** The cookies of a new sign-in, and the step that follows. */
export type NewSignIn = {
  token: string
  /** Set if the device was not known before. */
  deviceToken?: string
  /** The step that is still required. `passkey`: a passkey, a code of an app or a recovery code. */
  next: 'code' | 'passkey' | null
}

/** Dependencies of this module. Its functions take them as their first argument. */
export type UserDeps = { ctx: Context; box: SecretBox; passwords: PasswordHasher; refusals: Pick<RefusalLog, 'note'> }

export type People = UserDeps & {
  /** Returns the sign-in of a token with a single read; undefined if the token is unknown or expired. */
  signedIn(token: string): Promise<SignedIn | undefined>
}

export function createPeople(ctx: Context, options: Omit<UserDeps, 'ctx' | 'passwords'> & Partial<UserDeps>): People {
  const parts = { passwords: createPasswords(), ...options, ctx }
  return { ...parts, signedIn: (token) => findSignedIn(ctx, token) }
}
