// Request quotas: a fixed window per bucket, aligned to the Unix minute. The callers name the buckets and set the
// limit: api/server/rate-limit.ts has a bucket for each tenant (RATE_LIMIT_PER_MINUTE) and for each client address
// without a key (RATE_LIMIT_ANONYMOUS_PER_MINUTE). Requests are counted in memory. With several processes, each adds
// its count to the database whenever it has counted a hundredth of the limit by itself, and reads the sum of all
// processes. So the limit applies to all processes together, and no request waits for the database.
//
// The table identifies a bucket by its hash, so that it stores no address.

import type { Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import { sha256 } from '#platform/secrets.ts'

// Rows are in a fixed order, so that two processes with the same buckets do not deadlock. A late process writes to a
// past window, so its count is not added to the next one.
const addQuery = statement(
  'businesses.add_quota_uses',
  `insert into quota_count as known (minute, bucket, used)
   select minute, bucket, used from unnest($1::bigint[], $2::bytea[], $3::bigint[]) as shared (minute, bucket, used)
    order by minute, bucket
   on conflict (minute, bucket) do update set used = known.used + excluded.used
   returning minute, bucket, used`,
)

type Uses = { bucket: Buffer; window: number; more: number }

export async function addUses(db: Queryable, uses: readonly Uses[]): Promise<(number | undefined)[]> {
  const rows = await db.query<{ bucket: Buffer; minute: bigint; used: bigint }>(addQuery, [
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

export async function forgetMinutesBefore(db: Queryable, window: number): Promise<void> {
  while ((await db.query(forgetOne, [window])).length > 0);
}

// Shares counts with one statement at a time for all buckets. If the database does not respond, each process counts for
// itself.

type PendingReport = Parameters<ShareCount>[0] & { resolve: (all: number) => void; reject: (error: unknown) => void }

const restMs = 1_000

export function createQuotaSharing({ db, clock, log }: Context): ShareCount {
  let waiting: PendingReport[] = []
  let isSharing = false
  let restsUntilMs = 0
  let newestWindow = 0

  async function shareAll(): Promise<void> {
    isSharing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await add(batch)
      } catch (error) {
        restsUntilMs = clock.now() + restMs
        log.warn({ err: error }, 'could not share quota counts with the other processes')
        for (const { reject } of batch) reject(error)
      }
    }
    isSharing = false
  }

  async function add(batch: readonly PendingReport[]): Promise<void> {
    const sums = await addUses(
      db,
      batch.map(({ bucket, window, more }) => ({ bucket: sha256(bucket), window, more })),
    )
    for (const [index, { resolve, more }] of batch.entries()) resolve(sums[index] ?? more)
    const newest = Math.max(...batch.map(({ window }) => window))
    if (newest === newestWindow) return
    newestWindow = newest
    await forgetMinutesBefore(db, newest - 1)
  }

  return (count) => {
    if (clock.now() < restsUntilMs) return Promise.reject(new Unavailable('Quotas are not shared at the moment.'))
    return new Promise((resolve, reject) => {
      waiting.push({ ...count, resolve, reject })
      if (!isSharing) void shareAll()
    })
  }
}

export type Quota = { limit: number; remaining: number; resetAtSeconds: number; exceeded: boolean }

export type QuotaCounter = {
  take(bucket: string, nowMs: number): Quota
  /** Adds `more` to the count of a request that was already counted. Adds nothing if the limit would be exceeded. */
  takeMore(bucket: string, more: number, nowMs: number): Quota
  peek(bucket: string, nowMs: number): Quota
}

/** Adds `more` to this window. Resolves with the sum of all processes. */
export type ShareCount = (count: { bucket: string; window: number; more: number }) => Promise<number>

type QuotaOptions = {
  limit: number
  /** When a window has this many buckets, all further ones share one count. Needed if callers can invent buckets. */
  bucketsMax?: number
  shareCount?: ShareCount | undefined
}

export const windowMs = minuteMs
const sharedBucket = 'shared'
/**
 * The share of the limit that a process counts before it shares its count, so ten processes together exceed the limit
 * by about a tenth at most.
 */
const unsharedPart = 0.01

type QuotaCount = {
  own: number
  /** The part of `own` that the other processes know. */
  shared: number
  /** The sum of all processes, including this one, when this one last shared. */
  all: number
  isSharing: boolean
}

export function createQuotaCounter({ limit, bucketsMax = Infinity, shareCount }: QuotaOptions): QuotaCounter {
  const unsharedMax = Math.max(1, Math.floor(limit * unsharedPart))
  let counts = new Map<string, QuotaCount>()
  let window = 0

  function turn(nowMs: number): void {
    const current = Math.floor(nowMs / windowMs)
    if (current === window) return
    window = current
    counts = new Map()
  }

  function nameOf(bucket: string): string {
    return counts.size < bucketsMax || counts.has(bucket) ? bucket : sharedBucket
  }

  function countOf(name: string): QuotaCount {
    const known = counts.get(name)
    if (known !== undefined) return known
    const count = { own: 0, shared: 0, all: 0, isSharing: false }
    counts.set(name, count)
    return count
  }

  function state(used: number): Quota {
    const resetAtSeconds = ((window + 1) * windowMs) / 1000
    return { limit, remaining: Math.max(0, limit - used), resetAtSeconds, exceeded: used > limit }
  }

  /** A request over the limit is refused, and its count is not shared. */
  function add(bucket: string, count: QuotaCount, more: number): Quota {
    count.own += more
    const quota = state(usedOf(count))
    const isDue = !quota.exceeded && !count.isSharing && count.own - count.shared >= unsharedMax
    if (isDue && shareCount !== undefined) void share({ bucket, window }, count, shareCount)
    return quota
  }

  return {
    take(bucket, nowMs) {
      turn(nowMs)
      const name = nameOf(bucket)
      return add(name, countOf(name), 1)
    },
    takeMore(bucket, more, nowMs) {
      turn(nowMs)
      const name = nameOf(bucket)
      const count = countOf(name)
      if (usedOf(count) + more > limit) return { ...state(usedOf(count)), exceeded: true }
      return add(name, count, more)
    },
    peek(bucket, nowMs) {
      turn(nowMs)
      const count = counts.get(nameOf(bucket))
      return state(count === undefined ? 0 : usedOf(count))
    },
  }
}

function usedOf({ own, shared, all }: QuotaCount): number {
  return all + own - shared
}

async function share(of: { bucket: string; window: number }, count: QuotaCount, shareCount: ShareCount): Promise<void> {
  const more = count.own - count.shared
  count.isSharing = true
  try {
    count.all = await shareCount({ ...of, more })
    count.shared += more
  } catch {
    // Until sharing works again, each process counts for itself. `shareCount` has logged the failure.
  }
  count.isSharing = false
}
