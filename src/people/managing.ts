// Who changes something about others of a business: one of its people, judged by what they are at that moment, or an operator at
// a terminal of the installation, who is not.

import type { Actor } from '#base/context.ts'
import type { Queryable, Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { isAbove, type Role } from './person.ts'
import { looksAfterInstallation, listMemberships, lockMemberships, type MembershipRow } from './sql.ts'

export type Manager = {
  businessId: Uuid
  by: Actor
  /** Null: somebody at a terminal. */
  personId: Uuid | null
}

/** What they are does not allow it, or not any more. */
export type Refused = { kind: 'not-allowed' }

/** What they are, until the end of this transaction; undefined when they are nothing there any more. */
export async function lockActor(tx: Tx, manager: Manager): Promise<Role | 'terminal' | undefined> {
  const { businessId, personId } = manager
  return roleIn(await lockMemberships(tx, businessId, personId === null ? [] : [personId]), manager)
}

/** In memberships that are locked. */
export function roleIn(rows: readonly MembershipRow[], { personId }: Manager): Role | 'terminal' | undefined {
  return personId === null ? 'terminal' : rows.find((row) => row.person_id === personId)?.role
}

export type ResetJudgement = { kind: 'allowed'; role: Role } | { kind: 'not-found' } | Refused

/**
 * Whether a person may let another one, of this business, set a new password by a link. The password opens each business that the
 * other is of, so the maker is above them in all of these. An operator looks after the installation, so their link is made at a
 * terminal.
 */
export async function judgeReset(
  db: Queryable,
  { makerId, businessId, personId }: { makerId: Uuid; businessId: Uuid; personId: Uuid },
): Promise<ResetJudgement> {
  const own = await listMemberships(db, makerId)
  const theirs = await listMemberships(db, personId)
  const here = theirs.find((row) => row.business_id === businessId)
  if (here === undefined) return { kind: 'not-found' }
  const isBelow = theirs.every(({ business_id, role }) => {
    const mine = own.find((row) => row.business_id === business_id)
    return mine !== undefined && isAbove(mine.role, role)
  })
  if (!isBelow || (await looksAfterInstallation(db, personId))) return { kind: 'not-allowed' }
  return { kind: 'allowed', role: here.role }
}
