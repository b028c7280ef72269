// SQL of users and their memberships in businesses.

import { randomBytes } from 'node:crypto'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { sha256 } from '#platform/secrets.ts'
import { saltBytes } from './passwords.ts'
import type { UserRole } from './user.ts'

export type PersonRow = {
  id: Uuid
  email: string
  name: string
  password: string
  totp_secret: Buffer | null
  totp_pending: Buffer | null
  totp_last_step: bigint
  has_passkey: boolean
  is_operator: boolean
}

const columns = `p.id, p.email, p.name, p.password, p.totp_secret, p.totp_pending, p.totp_last_step, p.has_passkey, p.is_operator`

export function hasFactor({ totp_secret, has_passkey }: Pick<PersonRow, 'totp_secret' | 'has_passkey'>): boolean {
  return totp_secret !== null || has_passkey
}

const selectByEmail = statement(
  'people.by_email',
  `select ${columns}, d.seen_at is not null as device_known
     from person p left join known_device d on d.person_id = p.id and d.token_hash = $2 and d.seen_at > $3
    where p.email = $1
    order by d.seen_at desc nulls last, exists (select from membership m where m.person_id = p.id) desc, p.id`,
)

export type FoundPerson = PersonRow & { device_known: boolean }

/**
 * Finds all users with an email. `device_known`: the user has signed in with this device since `seenAfter`. These users
 * come first, the one who used the device last before the others; users without a business come last.
 */
export function findPeople(
  db: Queryable,
  email: string,
  deviceHash: Buffer | null,
  seenAfter: Date,
): Promise<FoundPerson[]> {
  return db.query<FoundPerson>(selectByEmail, [email, deviceHash, seenAfter])
}

const selectSalt = statement('people.password_salt', 'select password_salt from installation where id = 1')
const writeSalt = statement(
  'people.set_password_salt',
  'update installation set password_salt = $1 where id = 1 and password_salt is null',
)

/**
 * All passwords of one email have the same salt, so that a sign-in costs one hash, no matter how many users have that
 * email. The salts are secret, and no two installations share them.
 */
export async function findSalt(db: Queryable, email: string): Promise<Buffer> {
  const [row] = await db.query<{ password_salt: Buffer | null }>(selectSalt)
  const salt = row?.password_salt ?? undefined
  if (salt !== undefined) return sha256(`${salt.toString('hex')} ${email}`).subarray(0, saltBytes)
  await db.query(writeSalt, [randomBytes(saltBytes)])
  return findSalt(db, email)
}

const lockRow = statement('people.lock', `select ${columns} from person p where p.id = $1 for no key update`)

/** Until this transaction ends, no other transaction changes the user or uses one of the user's codes. */
export async function lockPerson(tx: Tx, id: Uuid): Promise<PersonRow | undefined> {
  const [row] = await tx.query<PersonRow>(lockRow, [id])
  return row
}

const lockInstallationRow = statement('people.lock_installation', 'select id from installation where id = 1 for update')
const selectAny = statement('people.any', 'select id from person limit 1')

/** Until this transaction ends, no other transaction can create the first user. */
export async function lockFirstPerson(tx: Tx): Promise<void> {
  await tx.query(lockInstallationRow)
}

export async function hasAnyPerson(db: Queryable): Promise<boolean> {
  return (await db.query(selectAny)).length > 0
}

const insertRow = statement(
  'people.insert',
  'insert into person (id, email, name, password, is_operator, created_at) values ($1, $2, $3, $4, $5, $6)',
)

export type NewPersonRow = {
  id: Uuid
  email: string
  name: string
  password: string
  isOperator: boolean
  createdAt: Date
}

export function insertPerson(tx: Tx, row: NewPersonRow): void {
  const { id, email, name, password, isOperator, createdAt } = row
  tx.send(insertRow, [id, email, name, password, isOperator, createdAt])
}

const updatePassword = statement('people.set_password', 'update person set password = $2 where id = $1')

export function setPassword(tx: Tx, id: Uuid, password: string): void {
  tx.send(updatePassword, [id, password])
}

const updateName = statement('people.set_name', 'update person set name = $2 where id = $1')

export function setName(tx: Tx, id: Uuid, name: string): void {
  tx.send(updateName, [id, name])
}

const selectOperator = statement('people.is_operator', 'select is_operator from person where id = $1')

export async function readIsOperator(db: Queryable, id: Uuid): Promise<boolean> {
  const [row] = await db.query<{ is_operator: boolean }>(selectOperator, [id])
  return row?.is_operator === true
}

const updateOperator = statement('people.set_operator', 'update person set is_operator = $2 where id = $1')

export function setOperator(tx: Tx, id: Uuid, isOperator: boolean): void {
  tx.send(updateOperator, [id, isOperator])
}

const selectFirstBusiness = statement('people.first_business', 'select id from business order by id limit 1')

export async function findFirstBusiness(db: Queryable): Promise<Uuid | undefined> {
  const [row] = await db.query<{ id: Uuid }>(selectFirstBusiness)
  return row?.id
}

export type MembershipRow = { business_id: Uuid; person_id: Uuid; role: UserRole }

const insertMembershipRow = statement(
  'people.insert_membership',
  `insert into membership (business_id, person_id, role, created_at) values ($1, $2, $3, $4)
   on conflict (business_id, person_id) do nothing returning role`,
)

export async function insertMembership(
  tx: Tx,
  { business_id, person_id, role }: MembershipRow,
  at: Date,
): Promise<boolean> {
  return (await tx.query(insertMembershipRow, [business_id, person_id, role, at])).length > 0
}

// Also locks the owners: if two transactions each remove one of the last two, the second sees that one is left.
const lockMembershipRows = statement(
  'people.lock_memberships',
  `select business_id, person_id, role from membership
    where business_id = $1 and (role = 'owner' or person_id = any($2::uuid[])) order by person_id for update`,
)

export function lockMemberships(tx: Tx, businessId: Uuid, personIds: Uuid[]): Promise<MembershipRow[]> {
  return tx.query<MembershipRow>(lockMembershipRows, [businessId, personIds])
}

const updateRole = statement(
  'people.set_role',
  'update membership set role = $3 where business_id = $1 and person_id = $2',
)

export function setRole(tx: Tx, { business_id, person_id, role }: MembershipRow): void {
  tx.send(updateRole, [business_id, person_id, role])
}

const deleteMembershipRow = statement(
  'people.delete_membership',
  'delete from membership where business_id = $1 and person_id = $2',
)

export function deleteMembership(tx: Tx, businessId: Uuid, personId: Uuid): void {
  tx.send(deleteMembershipRow, [businessId, personId])
}

const selectMemberships = statement(
  'people.memberships_of',
  'select business_id, person_id, role from membership where person_id = $1',
)

export function listMemberships(db: Queryable, personId: Uuid): Promise<MembershipRow[]> {
  return db.query<MembershipRow>(selectMemberships, [personId])
}

// A business that has never chosen roles requires a second factor of all or of none.
const selectFactorBusinesses = statement(
  'people.factor_businesses',
  `select b.name from membership m join business b on b.id = m.business_id
    where m.person_id = $1
      and m.role = any (coalesce(b.compulsory_factor_roles, case when b.is_compulsory_factor then array[m.role] end))
    order by b.name`,
)

/** The names of the businesses that require a second factor of this user. */
export async function listFactorBusinesses(db: Queryable, personId: Uuid): Promise<string[]> {
  return (await db.query<{ name: string }>(selectFactorBusinesses, [personId])).map(({ name }) => name)
}

const selectMember = statement(
  'people.member_by_email',
  'select p.id from membership m join person p on p.id = m.person_id where m.business_id = $1 and p.email = $2',
)

export async function isMember(db: Queryable, businessId: Uuid, email: string): Promise<boolean> {
  return (await db.query(selectMember, [businessId, email])).length > 0
}

export type ListedPersonRow = {
  id: Uuid
  name: string
  email: string
  role: UserRole | null
  business_id: Uuid | null
  has_second_factor: boolean
  is_operator: boolean
  seen_at: Date | null
}

const selectPeople = statement(
  'people.list',
  `select p.id, p.name, p.email, m.role, m.business_id, p.totp_secret is not null or p.has_passkey as has_second_factor, p.is_operator,
       (select max(s.seen_at) from sign_in s where s.person_id = p.id) as seen_at
     from person p left join membership m on m.person_id = p.id
    where $1::uuid is null or m.business_id = $1 order by lower(p.name), p.id`,
)

export function listPersonRows(db: Queryable, businessId: Uuid | null): Promise<ListedPersonRow[]> {
  return db.query<ListedPersonRow>(selectPeople, [businessId])
}
