// The SQL of the processes that serve rails.

import { randomUUID } from 'node:crypto'
import type { Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { secondMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Opening, GuardedPort } from './guard.ts'

// Processes that stood still take each other for dead, and renew at once: a row that another one is renewing is left to it.
const upsertProcess = statement(
  'rails.renew_process',
  `with dead as materialized (
     select id from rail_process where alive_until <= $2 and id <> $1 for update skip locked),
   gone as (delete from rail_process where id in (select id from dead))
   insert into rail_process (id, alive_until, breakers) values ($1, $3, $4::jsonb)
   on conflict (id) do update set alive_until = excluded.alive_until, breakers = excluded.breakers`,
)

type ProcessRow = { id: Uuid; now: Date; until: Date; breakers: BreakerReport[] }

async function renewProcess(db: Queryable, { id, now, until, breakers }: ProcessRow): Promise<void> {
  await db.query(upsertProcess, [id, now, until, JSON.stringify(breakers)])
}

const countAlive = statement(
  'rails.count_processes',
  'select count(*)::int as count from rail_process where alive_until > $1',
)

async function countProcesses(db: Queryable, now: Date): Promise<number> {
  return (await db.query<{ count: number }>(countAlive, [now]))[0]?.count ?? 0
}

const deleteProcess = statement('rails.remove_process', 'delete from rail_process where id = $1')

async function removeProcess(db: Queryable, id: Uuid): Promise<void> {
  await db.query(deleteProcess, [id])
}

const selectReports = statement(
  'rails.breaker_reports',
  `select report from rail_process cross join lateral jsonb_array_elements(breakers) as report
    where alive_until > $1 order by (report->>'sinceMs')::bigint`,
)

async function readReports(db: Queryable, now: Date): Promise<BreakerReport[]> {
  return (await db.query<{ report: BreakerReport }>(selectReports, [now])).map(({ report }) => report)
}

// The processes that serve rails, as they know of each other. Each renews a row of its own every few seconds, in which it
// also says what its breakers do. So each knows which part of a provider's limits is its own, and a command in another
// process knows what they experience. No call of a provider waits for that. A process that dies is forgotten within a minute.

/** What is not closed. */
export type BreakerReport = { rail: string; port: GuardedPort } & Opening

export type Processes = {
  /** Which part of what providers allow is this process's: those of all processes together are never more than all of it. */
  share(): number
  /** Tells the others of this process, and counts them. */
  renew(): Promise<void>
  leave(): Promise<void>
}

/** A process that is new takes this part of a share: of what the others leave free, until they know of it. */
export const shareOfNew = 1 / 4

export const renewEveryMs = 10 * secondMs
/** Two of its turns may fail. */
const lifeMs = 45 * secondMs
/** Each of the others has taken a turn by then. */
const newMs = 2 * renewEveryMs

export function createProcesses(ctx: Context, breakers: () => BreakerReport[]): Processes {
  const { db, clock } = ctx
  const id = randomUUID() as Uuid // The clock of a process has no time before it starts.
  let count = 1
  let knownUntilMs = -Infinity
  let newUntilMs = Infinity

  return {
    share() {
      const nowMs = clock.now()
      const isNew = nowMs < newUntilMs || nowMs >= knownUntilMs
      return (isNew ? shareOfNew : 1) / count
    },
    async renew() {
      const nowMs = clock.now()
      const wasKnown = nowMs < knownUntilMs
      // In two steps, each committed: of two processes that begin at once, one sees the other.
      await renewProcess(db, { id, now: new Date(nowMs), until: new Date(nowMs + lifeMs), breakers: breakers() })
      count = Math.max(1, await countProcesses(db, new Date(nowMs)))
      knownUntilMs = nowMs + lifeMs
      if (!wasKnown) newUntilMs = count === 1 ? nowMs : nowMs + newMs
    },
    leave: () => removeProcess(db, id),
  }
}

/** What processes that live say is not closed, the oldest first. */
export function listBreakers({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<BreakerReport[]> {
  return readReports(db, new Date(clock.now()))
}
