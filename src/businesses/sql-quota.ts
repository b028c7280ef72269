// The SQL of quotas that all processes share. A bucket is known by its hash: an address does not stand in the table.

import { statement, type Queryable } from '#base/db.ts'

// In one order, so that two processes that tell of the same buckets wait for each other in line. A process that is late tells
// of a window that is over: it is not added to the next one.
const add = statement(
  'businesses.add_quota_uses',
  `insert into quota_count as known (minute, bucket, used)
   select minute, bucket, used from unnest($1::bigint[], $2::bytea[], $3::bigint[]) as told (minute, bucket, used)
    order by minute, bucket
   on conflict (minute, bucket) do update set used = known.used + excluded.used
   returning minute, bucket, used`,
)

export type Uses = { bucket: Buffer; window: number; more: number }

/** Resolves with what has been told of each bucket by all processes. */
export async function addUses(db: Queryable, uses: readonly Uses[]): Promise<(number | undefined)[]> {
  const rows = await db.query<{ bucket: Buffer; minute: bigint; used: bigint }>(add, [
    uses.map(({ window }) => window),
    uses.map(({ bucket }) => bucket),
    uses.map(({ more }) => more),
  ])
  const sums = new Map(rows.map(({ bucket, minute, used }) => [`${bucket.toString('hex')} ${minute}`, Number(used)]))
  return uses.map(({ bucket, window }) => sums.get(`${bucket.toString('hex')} ${window}`))
}

const forgetOne = statement(
  'businesses.forget_quota_minute',
  `with forgotten as (
     delete from quota_count
      where minute = (select minute from quota_count where minute < $1 order by minute limit 1) returning minute)
   select 1 from forgotten limit 1`,
)

/** Minute by minute; usually there is one, and after a pause of all processes still but a few. */
export async function forgetMinutesBefore(db: Queryable, window: number): Promise<void> {
  while ((await db.query(forgetOne, [window])).length > 0);
}
