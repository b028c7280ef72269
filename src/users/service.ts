// The room of the people who sign in to the dashboard: who they are, how they prove it, and what they are in which business.

import type { Refusals } from '#audit/refusals.ts'
import type { Context } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import type { Person, Role } from './user.ts'
import { findSignedIn } from './sessions.ts'

export { roles } from './user.ts'
export type { Person } from './user.ts'
export type { Role } from './user.ts'

export type SignedIn = {
  signInId: Uuid
  person: Person
  /** `half`: the password was right, and the second factor is still due. */
  level: 'half' | 'full'
  /** Until then the second factor counts as asked a moment ago. 0: it was not. */
  steppedUpUntilMs: number
  /** By business. */
  roles: ReadonlyMap<Uuid, Role>
}

/** From where somebody comes. `deviceToken` is what a second cookie holds since they last signed in there. */
export type Visit = { address: string; device: string; requestId: string; deviceToken?: string | undefined }

/** What goes into the cookies of somebody who has just proved who they are. */
export type NewSignIn = {
  token: string
  /** Of a device that was not known before. */
  deviceToken?: string
  /** What is still due. */
  next: 'code' | null
}

/** What the acts of this room stand on: they are functions that take this first. */
export type Parts = { ctx: Context; box: SecretBox; passwords: Passwords; refusals: Pick<Refusals, 'note'> }

export type People = Parts & {
  /** Whose token this is; one read. Undefined: nobody's, or not any more. */
  signedIn(token: string): Promise<SignedIn | undefined>
}

export function createPeople(ctx: Context, options: Omit<Parts, 'ctx' | 'passwords'> & Partial<Parts>): People {
  const parts = { passwords: createPasswords(), ...options, ctx }
  return { ...parts, signedIn: (token) => findSignedIn(ctx, token) }
}
