// All SQL of sign-ins and of the devices that are known by them.

import { statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

export type SignInRow = {
  id: Uuid
  person_id: Uuid
  level: 'half' | 'full'
  stepped_up_until: Date | null
  proven_at: Date
  created_at: Date
  seen_at: Date
  is_current: boolean
  name: string
  email: string
  has_second_factor: boolean
  is_operator: boolean
  /** `<business> <role>` each. */
  roles: string[]
}

const selectByToken = statement(
  'people.sign_in_by_token',
  `select s.id, s.person_id, s.level, s.stepped_up_until, s.proven_at, s.created_at, s.seen_at, s.token_hash = $1 as is_current,
       p.name, p.email, p.totp_secret is not null as has_second_factor, p.is_operator,
       array(select m.business_id || ' ' || m.role from membership m where m.person_id = p.id) as roles
     from sign_in s join person p on p.id = s.person_id
    where s.token_hash = $1 or (s.previous_hash = $1 and s.previous_until > $2)`,
)

export async function findSignIn(db: Queryable, tokenHash: Buffer, now: Date): Promise<SignInRow | undefined> {
  const [row] = await db.query<SignInRow>(selectByToken, [tokenHash, now])
  return row
}

const touchRow = statement('people.touch_sign_in', 'update sign_in set seen_at = $2 where id = $1 and seen_at < $3')

/** Once, whoever else saw it in the same moment. */
export async function touchSignIn(db: Queryable, id: Uuid, now: Date, before: Date): Promise<void> {
  await db.query(touchRow, [id, now, before])
}

export type LockedSignIn = { id: Uuid; person_id: Uuid; level: 'half' | 'full'; wrong_codes: number; proven_at: Date }

const lockRow = statement(
  'people.lock_sign_in',
  `select id, person_id, level, wrong_codes, proven_at from sign_in where id = $1 for update`,
)

export async function lockSignIn(tx: Tx, id: Uuid): Promise<LockedSignIn | undefined> {
  const [row] = await tx.query<LockedSignIn>(lockRow, [id])
  return row
}

export type NewSignInRow = {
  id: Uuid
  personId: Uuid
  tokenHash: Buffer
  level: 'half' | 'full'
  address: string
  device: string
  at: Date
}

const insertRow = statement(
  'people.insert_sign_in',
  `insert into sign_in (id, person_id, token_hash, level, address, device, created_at, proven_at, seen_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7, $7)`,
)

export function insertSignIn(tx: Tx, row: NewSignInRow): void {
  tx.send(insertRow, [row.id, row.personId, row.tokenHash, row.level, row.address, row.device, row.at])
}

const renewRow = statement(
  'people.renew_sign_in',
  `update sign_in set token_hash = $2, previous_hash = case when $3::timestamptz is null then null else token_hash end,
       previous_until = $3, level = 'full', stepped_up_until = $4, wrong_codes = 0,
       proven_at = coalesce($5, proven_at)
    where id = $1`,
)

export type Renewal = {
  tokenHash: Buffer
  /** How long the token before is taken. */
  previousUntil: Date | null
  steppedUpUntil: Date | null
  /** The password was given again. */
  provenAt: Date | null
}

export function renewSignIn(tx: Tx, id: Uuid, { tokenHash, previousUntil, steppedUpUntil, provenAt }: Renewal): void {
  tx.send(renewRow, [id, tokenHash, previousUntil, steppedUpUntil, provenAt])
}

const countWrongCode = statement('people.count_wrong_code', 'update sign_in set wrong_codes = $2 where id = $1')

export function setWrongCodes(tx: Tx, id: Uuid, count: number): void {
  tx.send(countWrongCode, [id, count])
}

const deleteRow = statement('people.end_sign_in', 'delete from sign_in where id = $1 and person_id = $2 returning id')

/** False when it had ended, or is somebody else's. */
export async function endSignIn(tx: Tx, id: Uuid, personId: Uuid): Promise<boolean> {
  return (await tx.query(deleteRow, [id, personId])).length > 0
}

const deleteRowsOf = statement(
  'people.end_sign_ins',
  'delete from sign_in where person_id = $1 and id is distinct from $2::uuid',
)

/** All of a person, but for one that may be kept. */
export function endSignIns(tx: Tx, personId: Uuid, kept: Uuid | null = null): void {
  tx.send(deleteRowsOf, [personId, kept])
}

const deleteOld = statement(
  'people.end_old_sign_ins',
  'delete from sign_in where person_id = $1 and (seen_at <= $2 or created_at <= $3)',
)

/** What has ended by itself is taken out when its person comes again. */
export function endOldSignIns(tx: Tx, personId: Uuid, seenBefore: Date, createdBefore: Date): void {
  tx.send(deleteOld, [personId, seenBefore, createdBefore])
}

const deleteEnded = statement(
  'people.forget_sign_ins',
  `delete from sign_in where id = any(array(
     select id from sign_in
      where seen_at <= $1 or created_at <= $2 or (level = 'half' and created_at <= $3) limit $4 for update skip locked))
   returning 1`,
)

type Ended = { seenBefore: Date; createdBefore: Date; halfCreatedBefore: Date; limit: number }

/** What has ended by itself, whoever it was of; how many there were. */
export async function forgetEnded(db: Queryable, ended: Ended): Promise<number> {
  const { seenBefore, createdBefore, halfCreatedBefore, limit } = ended
  return (await db.query(deleteEnded, [seenBefore, createdBefore, halfCreatedBefore, limit])).length
}

export type ListedSignIn = { id: Uuid; device: string; address: string; created_at: Date; seen_at: Date }

const selectOfPerson = statement(
  'people.sign_ins_of',
  `select id, device, address, created_at, seen_at from sign_in
    where person_id = $1 and level = 'full' and seen_at > $2 and created_at > $3 order by seen_at desc, id`,
)

export function listSignInRows(
  db: Queryable,
  personId: Uuid,
  seenAfter: Date,
  createdAfter: Date,
): Promise<ListedSignIn[]> {
  return db.query<ListedSignIn>(selectOfPerson, [personId, seenAfter, createdAfter])
}

const insertDevice = statement(
  'people.know_device',
  `insert into known_device (person_id, token_hash, seen_at) values ($1, $2, $3)
   on conflict (person_id, token_hash) do update set seen_at = $3`,
)

export function knowDevice(tx: Tx, personId: Uuid, tokenHash: Buffer, at: Date): void {
  tx.send(insertDevice, [personId, tokenHash, at])
}

const deleteOldDevices = statement(
  'people.forget_old_devices',
  'delete from known_device where person_id = $1 and seen_at <= $2',
)

export function forgetDevices(tx: Tx, personId: Uuid, seenBefore: Date): void {
  tx.send(deleteOldDevices, [personId, seenBefore])
}
