// Guessing is made slow, in the database, so for all processes together: a guess is counted before it is looked at, and what
// was right is taken off again. A stranger who guesses at an account closes it to other strangers alone: whoever comes with a
// device on which this person has signed in before is counted by that device.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { dayMs, minuteMs } from '#base/durations.ts'
import { customerNetworkOf } from '#base/network.ts'
import { hashOfToken } from './tokens.ts'
import { forgetOldGuesses, lockBuckets, writeBucket, type GuessRow } from './sql-guesses.ts'

const freeGuesses = 5
const firstWaitMs = 30_000
const longestWaitMs = 15 * minuteMs
/** After so long without one, wrong guesses are forgotten. */
const rememberedMs = dayMs

export type Guessed =
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

export function afterWrong(row: GuessRow, nowMs: number): GuessRow {
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
