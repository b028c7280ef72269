// All SQL of guesses.

import { arrayOf, statement, type Tx } from '#base/db.ts'

export type GuessRow = { bucket: string; wrong: number; last_at: Date; closed_until: Date }

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
export function lockBuckets(tx: Tx, buckets: readonly string[], now: Date): Promise<GuessRow[]> {
  const names = arrayOf(buckets, (bucket) => bucket)
  tx.send(makeRows, [names, now])
  return tx.query<GuessRow>(lockRows, [names])
}

const updateRow = statement(
  'people.count_guess',
  'update guess set wrong = $2, last_at = $3, closed_until = $4 where bucket = $1',
)

export function writeBucket(tx: Tx, { bucket, wrong, last_at, closed_until }: GuessRow): void {
  tx.send(updateRow, [bucket, wrong, last_at, closed_until])
}

// More than one guess adds, so that the table does not grow whatever is made up.
const deleteOld = statement(
  'people.forget_guesses',
  `delete from guess where bucket in (
     select bucket from guess where last_at < $1 order by last_at limit 10 for update skip locked)`,
)

export function forgetOldGuesses(tx: Tx, before: Date): void {
  tx.send(deleteOld, [before])
}
