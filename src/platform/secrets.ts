// Seals secrets for the database (authenticated encryption), loads the key that seals them, and stores its fingerprint
// in the database, so that a process with another SECRET_KEY does not start. Also has small functions for keys and codes.
// Guarantees, each with a test:
//   - a sealed value opens only with its key and its context, so a value that was moved to another row does not open;
//   - a value with a changed bit does not open;
//   - the key file is made once, also by two processes that start at the same time, and only its owner can read it.

import { createCipheriv, createDecipheriv, createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { type FileHandle, link, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from './assert.ts'
import type { Context } from './context.ts'
import { arrayOf, statement, type Queryable } from './db/db.ts'
import { OperatorError, Unavailable } from './errors.ts'

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const keyIdBytes = 4
const headerBytes = 1 + keyIdBytes
const version = 1

export type SecretBox = {
  /** `context` names the place of the value: `webhook_subscription.secret:<id>`. */
  seal(plain: string, context: string): Buffer
  /**
   * A serving process calls this before it seals. Rejects if the database uses another key than this process, because
   * what the process sealed now could not be opened later. In a CLI command, it never rejects.
   */
  requireCurrent(): Promise<void>
  /** Throws if the value was changed, moved to another context, or sealed with a key that this process lacks. */
  open(sealed: Buffer, context: string): string
  /** Seals the value again with the current key. Undefined if that key sealed it already. Throws as `open` does. */
  reseal(sealed: Buffer, context: string): Buffer | undefined
}

/**
 * AES-256-GCM. A sealed value is: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The keys in
 * `previous` only open.
 */
export function createSecretBox(key: Buffer, previous: readonly Buffer[] = []): SecretBox {
  const current = sealingKeyOf(key)
  const keys = [current, ...previous.map(sealingKeyOf)]

  function keyFor(sealed: Buffer): SealingKey {
    if (sealed.length < headerBytes + nonceBytes + tagBytes || sealed[0] !== version) throw damaged()
    const found = keys.find(({ header }) => sealed.subarray(0, headerBytes).equals(header))
    if (found !== undefined) return found
    throw new OperatorError(
      'A stored secret was sealed with another SECRET_KEY: name the key that it was sealed with in SECRET_KEY_PREVIOUS.',
    )
  }

  const sealValue: SecretBox['seal'] = (plain, context) => {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    cipher.setAAD(bound(current, context))
    return Buffer.concat([current.header, nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  }
  const openValue: SecretBox['open'] = (sealed, context) => {
    const sealingKey = keyFor(sealed)
    const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', sealingKey.key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(bound(sealingKey, context)).setAuthTag(sealed.subarray(-tagBytes))
    const ciphertext = sealed.subarray(headerBytes + nonceBytes, -tagBytes)
    try {
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
    } catch (cause) {
      throw damaged(cause)
    }
  }
  return {
    seal: sealValue,
    requireCurrent: () => Promise.resolve(),
    open: openValue,
    reseal: (sealed, context) =>
      keyFor(sealed) === current ? undefined : sealValue(openValue(sealed, context), context),
  }
}

type SealingKey = { key: Buffer; header: Buffer }

/** The key id distinguishes a wrong key from a damaged value. Four bytes of a hash do not reveal the key. */
function sealingKeyOf(key: Buffer): SealingKey {
  assert(key.length === keyBytes, 'a secret key has 32 bytes')
  const keyId = createHash('sha256').update('manilla secret key id\0').update(key).digest().subarray(0, keyIdBytes)
  return { key, header: Buffer.concat([Buffer.of(version), keyId]) }
}

function bound({ header }: SealingKey, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')])
}

const fingerprintBytes = 16

function fingerprintOf(key: Buffer): Buffer {
  const digest = createHash('sha256').update('manilla secret key fingerprint\0').update(key).digest()
  return digest.subarray(0, fingerprintBytes)
}

function damaged(cause?: unknown): Error {
  return new Error('a sealed value does not open: it was changed, or it belongs to another place', { cause })
}

/** 32 bytes, written as 64 hex digits or as base64 (either alphabet, padding optional). */
export function parseSecretKey(unchecked: string): Buffer {
  const key = decodeKey(unchecked)
  if (key === undefined) {
    throw new OperatorError(
      'SECRET_KEY must be 32 random bytes in base64 or hex: make one with `openssl rand -base64 32`.',
    )
  }
  return key
}

function decodeKey(unchecked: string): Buffer | undefined {
  const text = unchecked.trim()
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  // 43 characters hold 32 bytes and two more bits, which every encoder sets to zero.
  if (!/^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  const canonical = key.toString('base64url')
  return canonical === text.replace('=', '').replaceAll('+', '-').replaceAll('/', '_') ? key : undefined
}

export type SecretKeys = {
  secretKey: Buffer
  previousSecretKeys: Buffer[]
}

type KeySettings = {
  secretKey?: string | undefined
  previousSecretKeys?: string[]
  databaseUrl?: string | undefined
  dataDir: string
}

/**
 * Throws if DATABASE_URL is set without SECRET_KEY: several machines may serve that database, and each would make its
 * own key.
 */
export function requireSecretKey({ secretKey, databaseUrl }: Pick<KeySettings, 'secretKey' | 'databaseUrl'>): void {
  if (databaseUrl === undefined || secretKey !== undefined) return
  throw new OperatorError(
    'SECRET_KEY is missing: with DATABASE_URL it must be set, to the same value on every machine. Make one with ' +
      '`openssl rand -base64 32`. If this service already ran without it, use the key in DATA_DIR/secret.key.',
  )
}

/** Without SECRET_KEY, the current key is in DATA_DIR/secret.key, which the first run makes. */
export async function loadSecretKeys(settings: KeySettings): Promise<SecretKeys> {
  requireSecretKey(settings)
  const { secretKey, previousSecretKeys = [], dataDir } = settings
  return {
    secretKey: secretKey === undefined ? await loadKeyFile(dataDir) : parseSecretKey(secretKey),
    previousSecretKeys: previousSecretKeys.map(parseSecretKey),
  }
}

async function loadKeyFile(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'secret.key')
  const existing = await readKeyFile(path)
  if (existing !== undefined) return existing
  await createKeyFile(dataDir, path)
  // Another process may have made the file first, and its key counts.
  const created = await readKeyFile(path)
  if (created === undefined) throw new OperatorError(`${path} vanished while it was made. Start the service again.`)
  return created
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw new OperatorError(`${path} cannot be read (${codeOf(cause)}).`, { cause })
  }
  try {
    // Checks the open file and not its path, which could be replaced before the read.
    const { mode } = await file.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new OperatorError(`${path} holds a secret and others can reach it: run \`chmod 600 ${path}\`.`)
    }
    const key = decodeKey(await file.readFile('utf8'))
    if (key === undefined) {
      throw new OperatorError(
        `${path} is damaged: restore it from a backup, because what was sealed with it cannot be read without it.`,
      )
    }
    return key
  } finally {
    await file.close()
  }
}

/**
 * Writes and flushes the file under a temporary name, then links it to the real name. A link fails if the name exists,
 * so one of two processes wins, and no process reads half a key.
 */
async function createKeyFile(dataDir: string, path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(keyBytes).toString('base64')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    try {
      await link(draft, path)
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause
    } finally {
      await unlink(draft)
    }
    await syncDirectory(dataDir)
  } catch (cause) {
    throw new OperatorError(`${path} cannot be made (${codeOf(cause)}): make DATA_DIR writable, or set SECRET_KEY.`, {
      cause,
    })
  }
}

/**
 * A new file name survives a power cut only after its directory is flushed. Without the key, nothing that it sealed can
 * be read.
 */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

/** The time does not depend on where two buffers of the same length differ. */
export function constantTimeEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function randomBase62(length: number): string {
  let text = ''
  for (let index = 0; index < length; index++) text += base62.charAt(randomInt(base62.length))
  return text
}

// Fingerprints of the keys that seal the secrets of a database, stored in the row of the installation. A process that
// lacks one of these keys does not start: some secrets would not open for it, and it would seal new ones that others
// cannot open. A running process checks the list before it seals: if it still had the old key after a key change, the
// secrets that it seals would be lost with that key.

const readKeys = statement('secrets.keys', 'select secret_keys as "keys" from installation where id = 1')
const addKey = statement(
  'secrets.add_key',
  `update installation set secret_keys = array_append(secret_keys, $1)
    where id = 1 and not ($1 = any(secret_keys)) and secret_keys <@ $2::text[]`,
)
const keepKey = statement('secrets.keep_key', 'update installation set secret_keys = array[$1::text] where id = 1')

export async function readSecretKeys(db: Queryable): Promise<string[]> {
  const [row] = await db.query<{ keys: string[] }>(readKeys)
  return row?.keys ?? []
}

function nameOfKey(key: Buffer): string {
  return fingerprintOf(key).toString('hex')
}

/** Throws if the list has a key that this process lacks. Otherwise adds its own key. */
export async function requireSecretKeys(db: Queryable, { secretKey, previousSecretKeys }: SecretKeys): Promise<void> {
  const own = nameOfKey(secretKey)
  const known = [own, ...previousSecretKeys.map(nameOfKey)]
  for (;;) {
    const wanted = await readSecretKeys(db)
    if (wanted.some((name) => !known.includes(name))) throw lacking(wanted.includes(own))
    if (wanted.includes(own)) return
    // The loop then reads the list again, because another process may have changed it.
    await db.query(addKey, [own, arrayOf(known, (name) => name)])
  }
}

function lacking(ownIsThere: boolean): OperatorError {
  return new OperatorError(
    ownIsThere
      ? 'Some secrets of this database are still sealed with another key: name it in SECRET_KEY_PREVIOUS until ' +
          '`npx manilla secrets reseal` has changed them all. See docs/runbooks/secret-key.md.'
      : 'SECRET_KEY is not the key that the secrets of this database are sealed with. Start with that one, or name it in ' +
          'SECRET_KEY_PREVIOUS to change it. See docs/runbooks/secret-key.md.',
  )
}

/** Removes all other keys from the list. Call this only when no secret is sealed with another key. */
export async function keepOneSecretKey(db: Queryable, secretKey: Buffer): Promise<void> {
  await db.query(keepKey, [nameOfKey(secretKey)])
}

const listedMsMax = 1_000
/**
 * `secrets reseal` waits this long before its last pass, because until then a process may still seal with the old key.
 */
export const lastSealsMs = 4 * listedMsMax

export function createListedBox(
  { db, log, metrics }: Pick<Context, 'db' | 'log' | 'metrics'>,
  { secretKey, previousSecretKeys }: SecretKeys,
): SecretBox {
  const own = nameOfKey(secretKey)
  let believedUntil = 0

  async function requireCurrent(): Promise<void> {
    const now = performance.now()
    if (now < believedUntil) return
    const isListed = (await readSecretKeys(db)).includes(own)
    metrics.secretKeyUnlisted.set(isListed ? 0 : 1)
    if (isListed) {
      believedUntil = now + listedMsMax
      return
    }
    log.error('cannot store secrets: the database uses another SECRET_KEY; restart this process with that key')
    throw new Unavailable(
      'This process has an old secret key, so it cannot store secrets. Its operator must restart it.',
    )
  }

  return { ...createSecretBox(secretKey, previousSecretKeys), requireCurrent }
}

// Goes through the rows of a table with sealed values, page by page, and reseals those not sealed with the current key.

type Resealing<Place, Row extends Place, Change> = {
  first: Place
  rowsPerPage: number
  read(after: Place, limit: number): Promise<Row[]>
  changesOf(row: Row): Change[]
  how: ResealMode
  write(changes: Change[]): Promise<void>
}

/** `check` reads only the first page, to learn whether the keys open its values. */
export type ResealMode = 'write' | 'count' | 'check'

export async function resealPages<Place, Row extends Place, Change>(
  resealing: Resealing<Place, Row, Change>,
): Promise<number> {
  const { first, rowsPerPage, read, changesOf, write, how } = resealing
  let after = first
  let found = 0
  for (;;) {
    const rows = await read(after, rowsPerPage)
    const changes = rows.flatMap(changesOf)
    found += changes.length
    if (changes.length > 0 && how === 'write') await write(changes)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage || how === 'check') return found
    after = last
  }
}
