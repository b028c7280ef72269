// A user, their roles, and who may manage whom. Users belong to no tenant, so their data has no lane.

import type { Actor } from '#platform/context.ts'
import type { Queryable, Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { readIsOperator, listMemberships, lockMemberships, type MembershipRow } from './queries.ts'

export const roles = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer'] as const
export type UserRole = (typeof roles)[number]

export type Person = {
  id: Uuid
  name: string
  email: string
  hasSecondFactor: boolean
  hasApp: boolean
  hasPasskey: boolean
  /** Operates the installation, in addition to the roles in businesses. */
  isOperator: boolean
}

/** An owner may manage every role, and an admin every role below admin. */
export function mayManage(actor: UserRole, other: UserRole): boolean {
  if (actor === 'owner') return true
  return actor === 'admin' && other !== 'owner' && other !== 'admin'
}

/**
 * The maker of a link that lets its holder sign in as another user needs a higher role than that user, so that no owner
 * can sign in as another owner.
 */
function isAbove(actor: UserRole, other: UserRole): boolean {
  return mayManage(actor, other) && actor !== other
}

const emailLengthMax = 200

/** Returns the normalized email; undefined if it is not valid. */
export function parseEmail(unchecked: string): string | undefined {
  const email = unchecked.trim().normalize('NFKC').toLowerCase()
  return email.length <= emailLengthMax && /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}.]+$/u.test(email) ? email : undefined
}

export function parseName(unchecked: string): string | undefined {
  const name = unchecked.trim().normalize('NFC')
  return name.length >= 1 && name.length <= 100 && !/\p{C}/u.test(name) ? name : undefined
}

/**
 * The actor of a change to other members of a business. `personId` is null for an operator in the CLI, who needs no
 * role.
 */
export type Manager = {
  businessId: Uuid
  by: Actor
  personId: Uuid | null
}

/** The actor's current role does not permit the change. */
export type RoleRefusal = { kind: 'not-allowed' }

/** Undefined if the actor is no longer a member. */
export async function lockActor(tx: Tx, manager: Manager): Promise<UserRole | 'terminal' | undefined> {
  const { businessId, personId } = manager
  return roleIn(await lockMemberships(tx, businessId, personId === null ? [] : [personId]), manager)
}

/** Reads the role without a lock; undefined if the user is not a member. */
export async function readRole(db: Queryable, businessId: Uuid, personId: Uuid): Promise<UserRole | undefined> {
  return (await listMemberships(db, personId)).find((row) => row.business_id === businessId)?.role
}

export async function lockOwners(tx: Tx, businessId: Uuid): Promise<Uuid[]> {
  const rows = await lockMemberships(tx, businessId, [])
  return rows.filter(({ role }) => role === 'owner').map(({ person_id: id }) => id)
}

/** The memberships must be locked. */
export function roleIn(rows: readonly MembershipRow[], { personId }: Manager): UserRole | 'terminal' | undefined {
  return personId === null ? 'terminal' : rows.find((row) => row.person_id === personId)?.role
}

type ResetJudgment = { kind: 'allowed'; role: UserRole } | { kind: 'not-found' } | RoleRefusal

/**
 * Checks if a user may make a link with which another member of the business sets a new password. The password gives
 * access to all businesses of that member, so the maker must have a higher role in each of them. No member may make one
 * for an operator, who operates the whole installation.
 */
export async function judgeReset(
  db: Queryable,
  { makerId, businessId, personId }: { makerId: Uuid; businessId: Uuid; personId: Uuid },
): Promise<ResetJudgment> {
  const own = await listMemberships(db, makerId)
  const theirs = await listMemberships(db, personId)
  const here = theirs.find((row) => row.business_id === businessId)
  if (here === undefined) return { kind: 'not-found' }
  const isBelow = theirs.every(({ business_id, role }) => {
    const mine = own.find((row) => row.business_id === business_id)
    return mine !== undefined && isAbove(mine.role, role)
  })
  if (!isBelow || (await readIsOperator(db, personId))) return { kind: 'not-allowed' }
  return { kind: 'allowed', role: here.role }
}
