// Slows down guessing of passwords and codes. Attempts are counted in the database, so the limits apply to all
// processes together. An attempt is counted before it is checked, and removed again if it was right. A stranger's
// attempts on an account lock out only other strangers, because a device on which the user has signed in before has a
// counter of its own.

import type { Context } from '#platform/context.ts'
import { arrayOf, statement, type Tx } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { customerNetworkOf } from '#platform/http-client/addresses.ts'
import { hashOfToken } from './passwords.ts'

type GuessRow = { bucket: string; wrong: number; last_at: Date; closed_until: Date }

const makeRows = statement(
  'people.make_guess_buckets',
  `insert into sign_in_failure (bucket, wrong, last_at, closed_until)
   select v, 0, $2, $2 from unnest($1::text[]) as v on conflict (bucket) do nothing`,
)
const lockRows = statement(
  'people.lock_guess_buckets',
  'select bucket, wrong, last_at, closed_until from sign_in_failure where bucket = any($1::text[]) order by bucket for update',
)

/** `buckets` must be sorted, so that concurrent attempts wait for each other and do not deadlock. */
function lockBuckets(tx: Tx, buckets: readonly string[], now: Date): Promise<GuessRow[]> {
  const names = arrayOf(buckets, (bucket) => bucket)
  tx.send(makeRows, [names, now])
  return tx.query<GuessRow>(lockRows, [names])
}

const updateRow = statement(
  'people.count_guess',
  'update sign_in_failure set wrong = $2, last_at = $3, closed_until = $4 where bucket = $1',
)

function writeBucket(tx: Tx, { bucket, wrong, last_at, closed_until }: GuessRow): void {
  tx.send(updateRow, [bucket, wrong, last_at, closed_until])
}

// Deletes more rows than one attempt adds, so that the table does not grow whatever buckets are made up.
const deleteOld = statement(
  'people.forget_guesses',
  `delete from sign_in_failure where bucket in (
     select bucket from sign_in_failure where last_at < $1 order by last_at limit 10 for update skip locked)`,
)

function forgetOldGuesses(tx: Tx, before: Date): void {
  tx.send(deleteOld, [before])
}

const freeGuesses = 5
const firstWaitMs = 30_000
const longestWaitMs = 15 * minuteMs
/** Wrong attempts are forgotten if none follows for this long. */
const rememberedMs = dayMs

type AttemptTarget =
  | { at: 'account'; email: string; address: string }
  /** A device that is known to belong to the user. */
  | { at: 'device'; token: string }

/** The buckets of an attempt, in the order in which they are locked. */
export function bucketsOf(guessed: AttemptTarget): string[] {
  return guessed.at === 'device'
    ? [`device:${digestOf(guessed.token)}`]
    : [`account:${digestOf(guessed.email)}`, `network:${customerNetworkOf(guessed.address)}`]
}

/**
 * Resolves with 0 if the attempt was counted and may be checked. Otherwise resolves with the wait in milliseconds and
 * does not count it.
 */
export async function takeGuess({ db, clock }: Context, buckets: readonly string[]): Promise<number> {
  return db.transaction(async (tx) => {
    const nowMs = clock.now()
    const rows = await lockAll(tx, buckets, nowMs)
    const waitMs = Math.max(...rows.map((row) => row.closed_until.getTime())) - nowMs
    if (waitMs > 0) return waitMs
    for (const row of rows) writeBucket(tx, afterWrong(row, nowMs))
    forgetOldGuesses(tx, new Date(nowMs - rememberedMs))
    return 0
  })
}

/**
 * Called when the attempt was right. Resets the user's own buckets. From the bucket of a network, which others share,
 * it only removes this attempt.
 */
export async function forgiveGuess(tx: Tx, buckets: readonly string[], nowMs: number): Promise<void> {
  for (const row of await lockAll(tx, buckets, nowMs)) {
    const wrong = row.bucket.startsWith('network:') ? Math.max(0, row.wrong - 1) : 0
    writeBucket(tx, { ...row, wrong, closed_until: new Date(nowMs) })
  }
}

function afterWrong(row: GuessRow, nowMs: number): GuessRow {
  const wrong = nowMs - row.last_at.getTime() > rememberedMs ? 1 : row.wrong + 1
  const waitMs = wrong < freeGuesses ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (wrong - freeGuesses))
  return { bucket: row.bucket, wrong, last_at: new Date(nowMs), closed_until: new Date(nowMs + waitMs) }
}

async function lockAll(tx: Tx, buckets: readonly string[], nowMs: number): Promise<GuessRow[]> {
  for (;;) {
    const rows = await lockBuckets(tx, buckets, new Date(nowMs))
    // Another transaction may have deleted an old bucket after it was found and before it was locked.
    if (rows.length === buckets.length) return rows
  }
}

function digestOf(text: string): string {
  return hashOfToken(text).toString('hex')
}
