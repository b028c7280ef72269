// Slows down guessing of passwords and codes. Attempts are counted in the database, so the limits apply to all
// processes together. An attempt is counted before it is checked, and removed again if it was right. A stranger's
// attempts on an account lock out only other strangers, because a device on which the user has signed in before has a
// counter of its own.

import type { Context } from '#platform/context.ts'
import { arrayOf, statement, type Tx } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { customerNetworkOf } from '#platform/http-client/addresses.ts'
import type { Uuid } from '#platform/ids.ts'
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

/** Sorted, so that concurrent attempts wait for each other and do not deadlock. */
function lockBuckets(tx: Tx, buckets: readonly string[], now: Date): Promise<GuessRow[]> {
  const names = arrayOf(buckets.toSorted(), (bucket) => bucket)
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

// Deletes more rows than one attempt adds, so that made-up buckets cannot make the table grow.
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

// Each account has its own bucket, even if several accounts share an email, because a password that is right for one
// account was still a guess at the others.

export function bucketOfAccount(personId: Uuid): string {
  return `account:${digestOf(personId)}`
}

/** The bucket of an account on a device that is known to belong to its user. */
export function bucketOfDevice(personId: Uuid, deviceToken: string): string {
  return `device:${digestOf(`${personId} ${deviceToken}`)}`
}

export function bucketOfUnknownEmail(email: string): string {
  return `account:${digestOf(email)}`
}

export function bucketOfNetwork(address: string): string {
  return `network:${customerNetworkOf(address)}`
}

export function bucketOfRequests(address: string): string {
  return `resets:${customerNetworkOf(address)}`
}

export type Attempt = {
  accounts: readonly string[]
  /** The attempt is refused if all of these are locked. Other locked accounts are only skipped. */
  deciding: readonly string[]
  /** Undefined on a known device. */
  network: string | undefined
}

/**
 * Counts an attempt, and resolves with the accounts that may be checked. If the attempt is refused, it counts nothing
 * and resolves with the wait in milliseconds.
 */
export async function takeGuess(
  { db, clock }: Context,
  { accounts, deciding, network }: Attempt,
): Promise<{ open: ReadonlySet<string>; waitMs: number }> {
  return db.transaction(async (tx) => {
    const nowMs = clock.now()
    const rows = await lockAll(tx, network === undefined ? accounts : [...accounts, network], nowMs)
    const waits = new Map(rows.map((row) => [row.bucket, Math.max(0, row.closed_until.getTime() - nowMs)]))
    const waitOf = (bucket: string): number => waits.get(bucket) ?? 0
    const waitMs = Math.max(Math.min(...deciding.map(waitOf)), network === undefined ? 0 : waitOf(network))
    if (waitMs > 0) return { open: new Set<string>(), waitMs }
    const counted = rows.filter(({ bucket }) => waitOf(bucket) === 0)
    for (const row of counted) writeBucket(tx, afterWrong(row, nowMs))
    forgetOldGuesses(tx, new Date(nowMs - rememberedMs))
    return { open: new Set(counted.map(({ bucket }) => bucket)), waitMs: 0 }
  })
}

/**
 * Called when the attempt was right. Resets the buckets in `own`, except that of a network, which other users share:
 * there only this attempt is taken back. The same goes for `others`, the buckets of accounts that were not checked.
 */
export async function forgiveGuess(
  tx: Tx,
  { own = [], others = [] }: { own?: readonly string[]; others?: readonly string[] },
  nowMs: number,
): Promise<void> {
  if (own.length + others.length === 0) return
  for (const row of await lockAll(tx, [...own, ...others], nowMs)) {
    const isShared = row.bucket.startsWith('network:') || others.includes(row.bucket)
    writeBucket(tx, { ...row, wrong: isShared ? Math.max(0, row.wrong - 1) : 0, closed_until: new Date(nowMs) })
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
