// All SQL of notices. They are found by their key, or by when they are due at their rail; no tenant is known yet.

import type { Environment } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { ClaimedNotice, NoticeKey } from './notice.ts'

const insertRow = statement(
  'notices.insert',
  `insert into rail_notice (environment, rail, digest, received_at, body, due_at) values ($1, $2, $3, $4, $5, $4)
   on conflict do nothing returning 1 as one`,
)

/** False: the same bytes are here already. */
export async function insertNotice(db: Queryable, key: NoticeKey, body: Buffer, now: Date): Promise<boolean> {
  return (await db.query(insertRow, [key.environment, key.rail, key.digest, now, body])).length > 0
}

// Out of the index rail_notice_due (environment, rail, due_at) alone, oldest first.
const claimDue = statement(
  'notices.claim',
  `with due as materialized (
     select digest from rail_notice
      where environment = $1 and rail = $2 and due_at <= $3
      order by due_at limit $5 for update skip locked)
   update rail_notice n set due_at = $4
     from due where n.environment = $1 and n.rail = $2 and n.digest = due.digest
   returning n.environment, n.rail, n.digest, n.body, n.received_at as "receivedAt", n.tries, n.due_at as "leaseEnd"`,
)

export type Claim = { environment: Environment; rail: string; now: Date; leaseEnd: Date; limit: number }

export function claimNotices(db: Queryable, claim: Claim): Promise<ClaimedNotice[]> {
  const { environment, rail, now, leaseEnd, limit } = claim
  return db.query<ClaimedNotice>(claimDue, [environment, rail, now, leaseEnd, limit])
}

// What is done is done, whoever did it; the rest is decided by whoever holds the lease.
const finishRow = statement(
  'notices.finish',
  `update rail_notice set state = $4, due_at = null
    where environment = $1 and rail = $2 and digest = $3 and state = 'new' and ($4 = 'done' or due_at = $5)`,
)

export async function finishNotice(db: Queryable, notice: ClaimedNotice, state: 'done' | 'stuck'): Promise<void> {
  await db.query(finishRow, [notice.environment, notice.rail, notice.digest, state, notice.leaseEnd])
}

const postponeRow = statement(
  'notices.postpone',
  `update rail_notice set due_at = $5, tries = least(tries + 1, 32767)
    where environment = $1 and rail = $2 and digest = $3 and state = 'new' and due_at = $4`,
)

export async function postponeNotice(db: Queryable, notice: ClaimedNotice, dueAt: Date): Promise<void> {
  await db.query(postponeRow, [notice.environment, notice.rail, notice.digest, notice.leaseEnd, dueAt])
}

// At most $1 entries of the index rail_notice_due.
const oldestOpen = statement(
  'notices.oldest',
  `select min(received_at) as oldest from (
     select received_at from rail_notice where due_at is not null limit $1) as open`,
)

export async function findOldest(db: Queryable, limit: number): Promise<Date | null> {
  const [row] = await db.query<{ oldest: Date | null }>(oldestOpen, [limit])
  return row?.oldest ?? null
}

const dropBodies = statement(
  'notices.drop_bodies',
  `with old as materialized (
     select environment, rail, digest from rail_notice
      where state = 'done' and body is not null and received_at < $1
      order by received_at limit $2 for update skip locked)
   update rail_notice n set body = null
     from old where n.environment = old.environment and n.rail = old.rail and n.digest = old.digest
   returning 1 as one`,
)

export async function dropOldBodies(db: Queryable, before: Date, limit: number): Promise<number> {
  return (await db.query(dropBodies, [before, limit])).length
}

export type SealedNotice = NoticeKey & { body: Buffer | null }

const sealedPage = statement(
  'notices.sealed',
  `select environment, rail, digest, body from rail_notice
    where (environment, rail, digest) > ($1, $2, $3) order by environment, rail, digest limit $4`,
)

export function findSealed(
  db: Queryable,
  after: { environment: string; rail: string; digest: Buffer },
  limit: number,
): Promise<SealedNotice[]> {
  return db.query<SealedNotice>(sealedPage, [after.environment, after.rail, after.digest, limit])
}

// A row that lost its body meanwhile, or that another process resealed, is left alone.
const resealRow = statement(
  'notices.reseal',
  'update rail_notice set body = $5 where environment = $1 and rail = $2 and digest = $3 and body = $4',
)

export async function writeResealed(db: Queryable, row: SealedNotice, fresh: Buffer): Promise<void> {
  await db.query(resealRow, [row.environment, row.rail, row.digest, row.body, fresh])
}
