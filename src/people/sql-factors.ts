// All SQL of second factors.

import { arrayOf, statement, type Queryable, type Tx } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'

const updatePending = statement('people.begin_totp', 'update person set totp_pending = $2 where id = $1')

export function setPendingTotp(tx: Tx, id: Uuid, sealed: Buffer): void {
  tx.send(updatePending, [id, sealed])
}

const confirmPending = statement(
  'people.confirm_totp',
  'update person set totp_secret = totp_pending, totp_pending = null, totp_last_step = $2 where id = $1',
)

export function confirmTotp(tx: Tx, id: Uuid, step: number): void {
  tx.send(confirmPending, [id, step])
}

const takeStep = statement('people.take_step', 'update person set totp_last_step = $2 where id = $1')

/** Of a person who is locked. */
export function setLastStep(tx: Tx, id: Uuid, step: number): void {
  tx.send(takeStep, [id, step])
}

const removeSecret = statement(
  'people.remove_totp',
  'update person set totp_secret = null, totp_pending = null where id = $1',
)

export function removeTotp(tx: Tx, id: Uuid): void {
  tx.send(removeSecret, [id])
}

const deleteCodes = statement('people.delete_recovery_codes', 'delete from recovery_code where person_id = $1')
const insertCodes = statement(
  'people.insert_recovery_codes',
  `insert into recovery_code (person_id, hash) select $1, decode(v, 'hex') from unnest($2::text[]) as v`,
)

export function replaceRecoveryCodes(tx: Tx, personId: Uuid, hashes: readonly Buffer[]): void {
  tx.send(deleteCodes, [personId])
  tx.send(insertCodes, [personId, arrayOf(hashes, (hash) => hash.toString('hex'))])
}

const takeCode = statement(
  'people.take_recovery_code',
  'delete from recovery_code where person_id = $1 and hash = $2 returning hash',
)

/** True once. */
export async function takeRecoveryCode(tx: Tx, personId: Uuid, hash: Buffer): Promise<boolean> {
  return (await tx.query(takeCode, [personId, hash])).length > 0
}

const countCodes = statement(
  'people.count_recovery_codes',
  'select count(*)::int as count from recovery_code where person_id = $1',
)

export async function countRecoveryCodes(db: Queryable, personId: Uuid): Promise<number> {
  const [row] = await db.query<{ count: number }>(countCodes, [personId])
  return row?.count ?? 0
}

export type SealedRow = { id: Uuid; totp_secret: Buffer | null; totp_pending: Buffer | null }

const selectSealed = statement(
  'people.sealed',
  `select id, totp_secret, totp_pending from person
    where id > $1 and (totp_secret is not null or totp_pending is not null) order by id limit $2`,
)

export const firstSealed = { id: firstUuid }

export function listSealedRows(db: Queryable, after: Uuid, limit: number): Promise<SealedRow[]> {
  return db.query<SealedRow>(selectSealed, [after, limit])
}

// Only where nobody has changed them meanwhile.
const resealRow = statement(
  'people.reseal',
  `update person set totp_secret = $4, totp_pending = $5
    where id = $1 and totp_secret is not distinct from $2 and totp_pending is not distinct from $3`,
)

export type Resealed = { was: SealedRow; totpSecret: Buffer | null; totpPending: Buffer | null }

export async function resealPerson(db: Queryable, { was, totpSecret, totpPending }: Resealed): Promise<void> {
  await db.query(resealRow, [was.id, was.totp_secret, was.totp_pending, totpSecret, totpPending])
}
