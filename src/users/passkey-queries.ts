// SQL of passkeys and of the challenges that they answer.

import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { NewCredential } from './webauthn.ts'

export type PasskeyRow = {
  id: Uuid
  person_id: Uuid
  credential_id: Buffer
  public_key: Buffer
  sign_count: bigint
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

const columns = 'id, person_id, credential_id, public_key, sign_count, transports, name, created_at, last_used_at'

const selectOfPerson = statement(
  'people.passkeys_of',
  `select ${columns} from passkey where person_id = $1 order by created_at, id`,
)

export function listPasskeyRows(db: Queryable, personId: Uuid): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(selectOfPerson, [personId])
}

const selectByCredential = statement('people.passkey', `select ${columns} from passkey where credential_id = $1`)

export async function findPasskey(db: Queryable, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const [row] = await db.query<PasskeyRow>(selectByCredential, [credentialId])
  return row
}

const insertRow = statement(
  'people.insert_passkey',
  `insert into passkey (id, person_id, credential_id, public_key, sign_count, transports, name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning id`,
)

export type NewPasskeyRow = NewCredential & { id: Uuid; personId: Uuid; name: string; at: Date }

/** Returns false if an account has this passkey already. */
export async function insertPasskey(tx: Tx, row: NewPasskeyRow): Promise<boolean> {
  const { id, personId, credential_id, public_key, sign_count, transports, name, at } = row
  const values = [id, personId, credential_id, public_key, sign_count, transports, name, at]
  return (await tx.query(insertRow, values)).length > 0
}

const usedRow = statement('people.use_passkey', 'update passkey set sign_count = $2, last_used_at = $3 where id = $1')

export function setPasskeyUsed(tx: Tx, id: Uuid, signCount: number, at: Date): void {
  tx.send(usedRow, [id, signCount, at])
}

const renameRow = statement(
  'people.rename_passkey',
  'update passkey set name = $3 where id = $1 and person_id = $2 returning id',
)

export async function setPasskeyName(tx: Tx, id: Uuid, personId: Uuid, name: string): Promise<boolean> {
  return (await tx.query(renameRow, [id, personId, name])).length > 0
}

const deleteRow = statement('people.delete_passkey', 'delete from passkey where id = $1')

export function deletePasskey(tx: Tx, id: Uuid): void {
  tx.send(deleteRow, [id])
}

const deleteRowsOf = statement('people.delete_passkeys', 'delete from passkey where person_id = $1')

export function deletePasskeys(tx: Tx, personId: Uuid): void {
  tx.send(deleteRowsOf, [personId])
}

const markPerson = statement('people.set_has_passkey', 'update person set has_passkey = $2 where id = $1')

export function setHasPasskey(tx: Tx, personId: Uuid, hasPasskey: boolean): void {
  tx.send(markPerson, [personId, hasPasskey])
}

/** `register`: a new passkey. `sign-in`: the whole sign-in. `confirm`: the second step of a sign-in, or a step-up. */
export type ChallengePurpose = 'register' | 'sign-in' | 'confirm'

type ChallengeRow = { hash: Buffer; purpose: ChallengePurpose; asker: Buffer }

const insertChallengeRow = statement(
  'people.insert_challenge',
  'insert into passkey_challenge (challenge_hash, purpose, asker_hash, expires_at) values ($1, $2, $3, $4)',
)

// Deletes more rows than one request adds, so that the table does not grow however often strangers open the page.
const deleteOldChallenges = statement(
  'people.forget_challenges',
  `delete from passkey_challenge where challenge_hash in (
     select challenge_hash from passkey_challenge where expires_at <= $1 order by expires_at limit 10
       for update skip locked)`,
)

export function insertChallenge(tx: Tx, { hash, purpose, asker }: ChallengeRow, now: Date, expiresAt: Date): void {
  tx.send(deleteOldChallenges, [now])
  tx.send(insertChallengeRow, [hash, purpose, asker, expiresAt])
}

const takeChallengeRow = statement(
  'people.take_challenge',
  `delete from passkey_challenge where challenge_hash = $1 and purpose = $2 and asker_hash = $3 and expires_at > $4
   returning challenge_hash`,
)

export async function takeChallenge(
  db: Queryable,
  { hash, purpose, asker }: ChallengeRow,
  now: Date,
): Promise<boolean> {
  return (await db.query(takeChallengeRow, [hash, purpose, asker, now])).length > 0
}
