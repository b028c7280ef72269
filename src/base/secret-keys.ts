// Which keys the secrets of a database are sealed with: their fingerprints, in the row of the installation. A process that
// lacks one of them would start, fail wherever a secret is needed, and seal new ones that the others cannot open; so it
// does not start. One that already runs asks again before it seals, so that a process which a change of the key forgot seals
// nothing that is lost when the old key is thrown away.

import { arrayOf, statement, type Queryable } from './db.ts'
import type { Context } from './context.ts'
import { OperatorError, Unavailable } from './error.ts'
import { createSecretBox, fingerprintOf, type SecretBox, type SecretKeys } from './secret.ts'

const readKeys = statement('secrets.keys', 'select secret_keys as "keys" from installation where id = 1')
// Only while all that stand there are known to whoever adds one.
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

export function nameOfKey(key: Buffer): string {
  return fingerprintOf(key).toString('hex')
}

/** Throws when a secret may be sealed with a key that this process lacks; notes that it seals with its own. */
export async function requireSecretKeys(db: Queryable, { secretKey, previousSecretKeys }: SecretKeys): Promise<void> {
  const own = nameOfKey(secretKey)
  const known = [own, ...previousSecretKeys.map(nameOfKey)]
  for (;;) {
    const wanted = await readSecretKeys(db)
    if (wanted.some((name) => !known.includes(name))) throw lacking(wanted.includes(own))
    if (wanted.includes(own)) return
    // Read again: another process may have added one at the same moment.
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

/** Once no secret is sealed with another key. */
export async function keepOneSecretKey(db: Queryable, secretKey: Buffer): Promise<void> {
  await db.query(keepKey, [nameOfKey(secretKey)])
}

/** For so long a process believes that its key is listed. `secrets reseal` waits longer before it looks for the last time. */
const listedMsMax = 1_000
export const lastSealsMs = 4 * listedMsMax

/** A box of a process that serves. Time is that of this process: a lease, not a moment. */
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
    log.error(
      'nothing is sealed: the database has gone on to another SECRET_KEY, so restart this process with that one',
    )
    throw new Unavailable(
      'This process has an old secret key, so it cannot store secrets. Its operator must restart it.',
    )
  }

  return { ...createSecretBox(secretKey, previousSecretKeys), requireCurrent }
}
