// Who a person is and what they may be in a business. People belong to no tenant, so nothing of theirs has a lane.

import type { Actor } from '#platform/context.ts'
import type { Queryable, Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { looksAfterInstallation, listMemberships, lockMemberships, type MembershipRow } from './queries.ts'

/** The strongest first. */
export const roles = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer'] as const
export type Role = (typeof roles)[number]

export type Person = {
  id: Uuid
  name: string
  email: string
  hasSecondFactor: boolean
  /** Looks after the installation, beside what they are in businesses. */
  isOperator: boolean
}

/**
 * An owner may do everything to everybody else, an admin to whom is neither. Nobody does anything to themselves: so there
 * is always an owner left, and nobody raises themselves.
 */
export function mayManage(actor: Role, other: Role): boolean {
  if (actor === 'owner') return true
  return actor === 'admin' && other !== 'owner' && other !== 'admin'
}

/** Of a link that lets its holder be this person: it is for people below, or an admin could become another one. */
function isAbove(actor: Role, other: Role): boolean {
  return mayManage(actor, other) && actor !== other
}

const emailLengthMax = 200

/** One way of writing it, so that an account cannot be had twice. Undefined when it is no address. */
export function parseEmail(unchecked: string): string | undefined {
  const email = unchecked.trim().normalize('NFKC').toLowerCase()
  return email.length <= emailLengthMax && /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}.]+$/u.test(email) ? email : undefined
}

/** What one person is called by others. Undefined when it is empty, too long, or holds what cannot be seen. */
export function parseName(unchecked: string): string | undefined {
  const name = unchecked.trim().normalize('NFC')
  return name.length >= 1 && name.length <= 100 && !/\p{C}/u.test(name) ? name : undefined
}

// Who changes something about others of a business: one of its people, judged by what they are at that moment, or an operator at
// a terminal of the installation, who is not.

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

type ResetJudgement = { kind: 'allowed'; role: Role } | { kind: 'not-found' } | Refused

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
