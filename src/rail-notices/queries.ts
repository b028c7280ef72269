// All SQL of notices. A notice is found by its key, or by its rail and due time, because its tenant is not known yet.

import type { Environment } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import type { ClaimedNotice, RailNoticeKey, OpenState } from './notice.ts'

const insertRow = statement(
  'notices.insert',
  `insert into rail_notice (environment, rail, digest, received_at, body, due_at) values ($1, $2, $3, $4, $5, $4)
   on conflict (environment, rail, digest) do update set state = 'new', due_at = excluded.due_at, tries = 0
     where rail_notice.state = 'stuck'
   returning 1 as one`,
)

/** Returns false if the same bytes are already stored. If that notice is stuck, retries it and returns true. */
export async function insertNotice(db: Queryable, key: RailNoticeKey, body: Buffer, now: Date): Promise<boolean> {
  return (await db.query(insertRow, [key.environment, key.rail, key.digest, now, body])).length > 0
}

// Uses only the index rail_notice_due (environment, rail, due_at), oldest first. The update uses an array of keys:
// for a join with them, a planner without statistics scanned all notices of the rail (26 000 pages for one notice).
const claimDue = statement(
  'notices.claim',
  `with due as materialized (
     select digest from rail_notice
      where environment = $1 and rail = $2 and due_at <= $3
      order by due_at limit $5 for update skip locked)
   update rail_notice n set due_at = $4
    where n.environment = $1 and n.rail = $2 and n.digest = any(array(select digest from due))
   returning n.environment, n.rail, n.digest, n.body, n.received_at as "receivedAt", n.tries, n.due_at as "leaseEnd",
     n.why`,
)

export type NoticesClaim = { environment: Environment; rail: string; now: Date; leaseEnd: Date; limit: number }

export function claimNotices(db: Queryable, claim: NoticesClaim): Promise<ClaimedNotice[]> {
  const { environment, rail, now, leaseEnd, limit } = claim
  return db.query<ClaimedNotice>(claimDue, [environment, rail, now, leaseEnd, limit])
}

// Any process may mark a notice as done; only the process with the lease may set another state.
const finishRow = statement(
  'notices.finish',
  `update rail_notice set state = $4, due_at = null, why = $6
    where environment = $1 and rail = $2 and digest = $3 and state = 'new' and ($4 = 'done' or due_at = $5)
   returning 1 as one`,
)

/**
 * `why` says why the notice is stuck; null: it is done. Returns false if another process has claimed or finished it.
 */
export async function finishNotice(db: Queryable, notice: ClaimedNotice, why: string | null): Promise<boolean> {
  const { environment, rail, digest, leaseEnd } = notice
  const state = why === null ? 'done' : 'stuck'
  return (await db.query(finishRow, [environment, rail, digest, state, leaseEnd, why])).length > 0
}

const retryRow = statement(
  'notices.retry',
  `update rail_notice set state = 'new', due_at = $4, tries = 0
    where environment = $1 and rail = $2 and digest = $3 and state = 'stuck' returning 1 as one`,
)

export async function retryNotice(db: Queryable, key: RailNoticeKey, now: Date): Promise<boolean> {
  return (await db.query(retryRow, [key.environment, key.rail, key.digest, now])).length > 0
}

const postponeRow = statement(
  'notices.postpone',
  `update rail_notice set due_at = $5, tries = least(tries + $7::int, 32767), why = $6
    where environment = $1 and rail = $2 and digest = $3 and state = 'new' and due_at = $4`,
)

export async function postponeNotice(
  db: Queryable,
  { environment, rail, digest, leaseEnd }: ClaimedNotice,
  { dueAt, why, wasTried }: { dueAt: Date; why: string; wasTried: boolean },
): Promise<void> {
  await db.query(postponeRow, [environment, rail, digest, leaseEnd, dueAt, why, wasTried ? 1 : 0])
}

// Reads at most $1 entries of the index rail_notice_due. Without the `order by`, which is that of the index, a planner
// without statistics reads the whole table, even if no notice is due.
const oldestOpen = statement(
  'notices.oldest',
  `select min(received_at) as oldest from (
     select received_at from rail_notice where due_at is not null order by environment, rail, due_at limit $1) as open`,
)

export async function findOldest(db: Queryable, limit: number): Promise<Date | null> {
  const [row] = await db.query<{ oldest: Date | null }>(oldestOpen, [limit])
  return row?.oldest ?? null
}

// Uses arrays of key parts, for the same reason as `claimDue`. If two rails have received the same bytes, the arrays
// may also match a row that is not in `old`, so each statement repeats the condition of `old`.
const amongOld = `environment = any(array(select environment from old)) and rail = any(array(select rail from old))
      and digest = any(array(select digest from old))`

const dropBodies = statement(
  'notices.drop_bodies',
  `with old as materialized (
     select environment, rail, digest from rail_notice
      where state = 'done' and body is not null and received_at < $1
      order by received_at limit $2 for update skip locked)
   update rail_notice set body = null
    where ${amongOld} and state = 'done' and body is not null and received_at < $1
   returning 1 as one`,
)

export async function dropOldBodies(db: Queryable, before: Date, limit: number): Promise<number> {
  return (await db.query(dropBodies, [before, limit])).length
}

const deleteOld = statement(
  'notices.delete',
  `with old as materialized (
     select environment, rail, digest from rail_notice
      where body is null and received_at < $1
      order by received_at limit $2 for update skip locked)
   delete from rail_notice where ${amongOld} and body is null and received_at < $1 returning 1 as one`,
)

export async function deleteNotices(db: Queryable, before: Date, limit: number): Promise<number> {
  return (await db.query(deleteOld, [before, limit])).length
}

// Reads at most $1 entries of each of three indexes, the latest first if the index has the time of receipt.
const latest = statement(
  'notices.latest',
  `select environment, rail, max(received_at) as "receivedAt" from (
     (select environment, rail, received_at from rail_notice
       where state = 'done' and body is not null order by received_at desc limit $1)
     union all
     (select environment, rail, received_at from rail_notice
       where due_at is not null order by environment, rail, due_at limit $1)
     union all
     (select environment, rail, received_at from rail_notice
       where state = 'stuck' order by received_at desc limit $1)) as recent
   group by environment, rail`,
)

export type LatestNotice = Pick<RailNoticeKey, 'environment' | 'rail'> & { receivedAt: Date }

export function findLatestNotices(db: Queryable, limit: number): Promise<LatestNotice[]> {
  return db.query<LatestNotice>(latest, [limit])
}

export type ListedNotice = RailNoticeKey & {
  state: OpenState
  receivedAt: Date
  dueAt: Date | null
  tries: number
  why: string | null
}

// Finds stuck notices through the index rail_notice_stuck. New notices are few in normal operation.
const openOnes = statement(
  'notices.list_open',
  `select environment, rail, digest, state, received_at as "receivedAt", due_at as "dueAt", tries, why
     from rail_notice where state = $1 and state <> 'done' order by received_at, digest limit $2`,
)

export function findOpenNotices(db: Queryable, state: OpenState, limit: number): Promise<ListedNotice[]> {
  return db.query<ListedNotice>(openOnes, [state, limit])
}

export type SealedNotice = RailNoticeKey & { body: Buffer | null }

const sealedPage = statement(
  'notices.sealed',
  `select environment, rail, digest, body from rail_notice
    where (environment, rail, digest) > ($1, $2, $3) order by environment, rail, digest limit $4`,
)

export type NoticePlace = { environment: string; rail: string; digest: Buffer }

export function findSealed(db: Queryable, after: NoticePlace, limit: number): Promise<SealedNotice[]> {
  return db.query<SealedNotice>(sealedPage, [after.environment, after.rail, after.digest, limit])
}

// Skips a row that has lost its body in the meantime, or that another process resealed.
const resealRow = statement(
  'notices.reseal',
  'update rail_notice set body = $5 where environment = $1 and rail = $2 and digest = $3 and body = $4',
)

export async function writeResealed(db: Queryable, row: SealedNotice, fresh: Buffer): Promise<void> {
  await db.query(resealRow, [row.environment, row.rail, row.digest, row.body, fresh])
}
