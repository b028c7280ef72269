// Who changes something about others of a business: one of its people, judged by what they are at that moment, or somebody at
// a terminal of the installation, who is not.

import type { Actor } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Role } from './person.ts'
import { lockMemberships, type MembershipRow } from './sql.ts'

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
