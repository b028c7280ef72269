// Codes of the second factor: those of an authenticator app (TOTP) and recovery codes. Each works once. Also the secrets
// of which an app makes its codes: their SQL and encryption. sign-in.ts limits how many wrong codes a sign-in may send.

import { createHmac, randomBytes } from 'node:crypto'
import { arrayOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { constantTimeEqual, resealPages, sha256, type ResealMode, type SecretBox } from '#platform/secrets.ts'
import type { PersonRow } from './queries.ts'

/**
 * Accepts a code once, and returns which kind it was; undefined if it is wrong or was used before. The caller must have
 * locked the person.
 */
export async function takeFactorCode(
  tx: Tx,
  box: SecretBox,
  person: PersonRow,
  uncheckedCode: string,
  nowMs: number,
): Promise<'code' | 'recovery-code' | undefined> {
  const code = uncheckedCode.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(code))
    return (await takeRecoveryCode(tx, person.id, hashOfRecoveryCode(code))) ? 'recovery-code' : undefined
  if (person.totp_secret === null) return undefined
  const step = stepOfCode(openTotp(box, person.id, person.totp_secret), code, nowMs, person.totp_last_step)
  if (step === undefined) return undefined
  setLastStep(tx, person.id, step)
  return 'code'
}

const takeStep = statement('people.take_step', 'update person set totp_last_step = $2 where id = $1')

function setLastStep(tx: Tx, id: Uuid, step: number): void {
  tx.send(takeStep, [id, step])
}

const takeRecoveryRow = statement(
  'people.take_recovery_code',
  'delete from recovery_code where person_id = $1 and hash = $2 returning hash',
)

async function takeRecoveryCode(tx: Tx, personId: Uuid, hash: Buffer): Promise<boolean> {
  return (await tx.query(takeRecoveryRow, [personId, hash])).length > 0
}

const stepMs = 30_000
const secretBytes = 20
/** A phone's clock may be one step off, and typing takes a while. */
const stepsOff = [0, -1, 1]

export function newTotpSecret(): Buffer {
  return randomBytes(secretBytes)
}

/** TOTP (RFC 6238) in the form that all authenticator apps support: six digits of SHA-1 every 30 s. */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const at = (digest.at(-1) ?? 0) & 0x0f
  return ((digest.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).toString().padStart(6, '0')
}

/** Returns the step of the code; undefined if the code is wrong or its step is not later than `lastStep`. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number, lastStep: bigint): number | undefined {
  const now = Math.floor(nowMs / stepMs)
  return stepsOff
    .map((off) => now + off)
    .find((step) => step > lastStep && constantTimeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)))
}

/** Leaves out characters that look alike. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const recoveryCodes = 10

/**
 * The database stores only the SHA-256 of a recovery code. A code has 80 random bits, which cannot be guessed, so it
 * needs no slow hash.
 */
export function newRecoveryCodes(): { text: string; hash: Buffer }[] {
  return Array.from({ length: recoveryCodes }, () => {
    const characters = [...randomBytes(16)].map((byte) => letters.charAt(byte & 0x1f)).join('')
    return { text: characters.replaceAll(/(.{4})(?=.)/g, '$1-'), hash: hashOfRecoveryCode(characters) }
  })
}

/** Accepts codes with or without hyphens and spaces, in upper or lower case. */
export function hashOfRecoveryCode(unchecked: string): Buffer {
  return sha256(unchecked.toLowerCase().replaceAll(/[^0-9a-z]/g, ''))
}

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

const countCodes = statement(
  'people.count_recovery_codes',
  'select count(*)::int as count from recovery_code where person_id = $1',
)

export async function countRecoveryCodes(db: Queryable, personId: Uuid): Promise<number> {
  const [row] = await db.query<{ count: number }>(countCodes, [personId])
  return row?.count ?? 0
}

type SealedRow = { id: Uuid; totp_secret: Buffer | null; totp_pending: Buffer | null }

const selectSealed = statement(
  'people.sealed',
  `select id, totp_secret, totp_pending from person
    where id > $1 and (totp_secret is not null or totp_pending is not null) order by id limit $2`,
)

const firstSealed = { id: firstUuid }

function listSealedRows(db: Queryable, after: Uuid, limit: number): Promise<SealedRow[]> {
  return db.query<SealedRow>(selectSealed, [after, limit])
}

// Skips users whose secrets were changed since they were read.
const resealRow = statement(
  'people.reseal',
  `update person set totp_secret = $4, totp_pending = $5
    where id = $1 and totp_secret is not distinct from $2 and totp_pending is not distinct from $3`,
)

type ResealedRow = { was: SealedRow; totpSecret: Buffer | null; totpPending: Buffer | null }

async function resealPerson(db: Queryable, { was, totpSecret, totpPending }: ResealedRow): Promise<void> {
  await db.query(resealRow, [was.id, was.totp_secret, was.totp_pending, totpSecret, totpPending])
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 (RFC 4648), for typing the secret into an app when no camera is available. */
export function textOfTotpSecret(secret: Buffer): string {
  let bits = ''
  for (const byte of secret) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('')
}

export function totpUri(secret: Buffer, email: string): string {
  const query = new URLSearchParams({ secret: textOfTotpSecret(secret), issuer: 'Manilla' })
  return `otpauth://totp/Manilla:${encodeURIComponent(email)}?${query.toString()}`
}

const contextOf = (personId: Uuid): string => `person.totp:${personId}`

/** Encrypts the TOTP secret, because we must be able to read it again. */
export function sealTotp(box: SecretBox, personId: Uuid, secret: Buffer): Buffer {
  return box.seal(secret.toString('base64'), contextOf(personId))
}

export function openTotp(box: SecretBox, personId: Uuid, sealed: Buffer): Buffer {
  return Buffer.from(box.open(sealed, contextOf(personId)), 'base64')
}

const rowsPerPage = 500

export function resealPeople(db: Queryable, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages<{ id: Uuid }, SealedRow, ResealedRow>({
    first: firstSealed,
    rowsPerPage,
    read: ({ id }, limit) => listSealedRows(db, id, limit),
    changesOf(was) {
      const [secret, pending] = [was.totp_secret, was.totp_pending].map((sealed) =>
        sealed === null ? undefined : box.reseal(sealed, contextOf(was.id)),
      )
      if (secret === undefined && pending === undefined) return []
      return [{ was, totpSecret: secret ?? was.totp_secret, totpPending: pending ?? was.totp_pending }]
    },
    how,
    async write(changes) {
      for (const change of changes) await resealPerson(db, change)
    },
  })
}
