// All SQL of guesses.

import type { Context } from '#platform/context.ts'
import { arrayOf, statement, type Tx } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { customerNetworkOf } from '#platform/http-client/addresses.ts'
import { hashOfToken } from './passwords.ts'

type GuessRow = { bucket: string; wrong: number; last_at: Date; closed_until: Date }

const makeRows = statement(
  'people.make_guess_buckets',
  `insert into guess (bucket, wrong, last_at, closed_until)
   select v, 0, $2, $2 from unnest($1::text[]) as v on conflict (bucket) do nothing`,
)
const lockRows = statement(
  'people.lock_guess_buckets',
  'select bucket, wrong, last_at, closed_until from guess where bucket = any($1::text[]) order by bucket for update',
)

/** `buckets` in order, so that two who guess at the same wait in line. */
function lockBuckets(tx: Tx, buckets: readonly string[], now: Date): Promise<GuessRow[]> {
  const names = arrayOf(buckets, (bucket) => bucket)
  tx.send(makeRows, [names, now])
  return tx.query<GuessRow>(lockRows, [names])
}

const updateRow = statement(
  'people.count_guess',
  'update guess set wrong = $2, last_at = $3, closed_until = $4 where bucket = $1',
)

function writeBucket(tx: Tx, { bucket, wrong, last_at, closed_until }: GuessRow): void {
  tx.send(updateRow, [bucket, wrong, last_at, closed_until])
}

// More than one guess adds, so that the table does not grow whatever is made up.
const deleteOld = statement(
  'people.forget_guesses',
  `delete from guess where bucket in (
     select bucket from guess where last_at < $1 order by last_at limit 10 for update skip locked)`,
)

function forgetOldGuesses(tx: Tx, before: Date): void {
  tx.send(deleteOld, [before])
}

// Guessing is made slow, in the database, so for all processes together: a guess is counted before it is looked at, and what
// was right is taken off again. A stranger who guesses at an account closes it to other strangers alone: whoever comes with a
// device on which this person has signed in before is counted by that device.

const freeGuesses = 5
const firstWaitMs = 30_000
const longestWaitMs = 15 * minuteMs
/** After so long without one, wrong guesses are forgotten. */
const rememberedMs = dayMs

type Guessed =
  | { at: 'account'; email: string; address: string }
  /** Known to be this person's. */
  | { at: 'device'; token: string }

/** What a guess is counted by, in the order in which they are locked. */
export function bucketsOf(guessed: Guessed): string[] {
  return guessed.at === 'device'
    ? [`device:${digestOf(guessed.token)}`]
    : [`account:${digestOf(guessed.email)}`, `network:${customerNetworkOf(guessed.address)}`]
}

/** Resolves with 0 when the guess is counted and may be looked at, or else with how long there is to wait; not counted then. */
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

/** It was right. What is this person's alone begins anew; of a network, which others share, the one guess is taken off. */
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
    // Another one may have forgotten an old bucket between its being found and its being locked.
    if (rows.length === buckets.length) return rows
  }
}

function digestOf(text: string): string {
  return hashOfToken(text).toString('hex')
}
