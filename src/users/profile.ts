// Changes that users make to their own account.

import { recordEntry } from '#audit/record.ts'
import type { Actor, Context } from '#platform/context.ts'
import { formatId } from '#platform/ids.ts'
import { faultOfPassword } from './passwords.ts'
import type { UserDeps, SignedIn, Visit } from './service.ts'
import { renewSession, endSignIns } from './sessions.ts'
import { provePassword, settleProof, type TooMany } from './sign-in.ts'
import { countRecoveryCodes } from './factor-codes.ts'
import { deleteLinksOf } from './links.ts'
import { findSalt, setName, setPassword } from './queries.ts'

export type PasswordChangeOutcome =
  | { kind: 'changed'; token: string }
  | { kind: 'wrong' }
  | { kind: 'unfit'; sentence: string }
  | TooMany

/**
 * Ends all other sign-ins and invalidates reset links, so that an attacker who knew the old password or has a link
 * loses access.
 */
export async function changePassword(
  parts: UserDeps,
  by: Actor,
  visit: Visit,
  { person, signInId }: SignedIn,
  given: { current: string; next: string },
): Promise<PasswordChangeOutcome> {
  const sentence = faultOfPassword(given.next)
  if (sentence !== undefined) return { kind: 'unfit', sentence }
  const proof = await provePassword(parts, visit, { email: person.email, personId: person.id, password: given.current })
  if (proof.kind !== 'right') return proof
  const { ctx } = parts
  const password = await parts.passwords.hash(given.next, await findSalt(ctx.db, person.email))
  return ctx.db.transaction(async (tx) => {
    if ((await settleProof(tx, ctx, proof, { isIn: true })) === undefined) return { kind: 'wrong' }
    const nowMs = ctx.clock.now()
    setPassword(tx, person.id, password)
    endSignIns(tx, person.id, signInId)
    deleteLinksOf(tx, 'reset', person.id, new Date(nowMs))
    recordEntry(tx, nowMs, { by, act: 'person.password-changed', subject: formatId('person', person.id) })
    return { kind: 'changed', token: renewSession(tx, nowMs, signInId, { steppedUp: false, passwordProven: true }) }
  })
}

export async function renameUser(ctx: Context, by: Actor, { person }: SignedIn, name: string): Promise<void> {
  await ctx.db.transaction((tx) => {
    setName(tx, person.id, name)
    recordEntry(tx, ctx.clock.now(), {
      by,
      act: 'person.renamed',
      subject: formatId('person', person.id),
    })
    return Promise.resolve()
  })
}

export function recoveryCodesLeft({ db }: Context, { person }: SignedIn): Promise<number> {
  return countRecoveryCodes(db, person.id)
}
