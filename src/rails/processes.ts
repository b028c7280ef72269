// How the processes that serve rails know of each other. Each renews a row every ten seconds and reports its breakers
// in it. So each process knows its share of a provider's limits, and commands in other processes see the breakers. No
// provider call waits for a renewal. A dead process is forgotten within a minute.

import { randomUUID } from 'node:crypto'
import type { Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { secondMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { BreakerOpening, GuardedPort } from './breaker.ts'

// Processes that were suspended consider each other dead and renew at once, so this statement skips rows that another
// process is renewing.
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

export type BreakerReport = { rail: string; port: GuardedPort; operator?: string } & BreakerOpening

export type Processes = {
  /**
   * This process's share of the providers' limits. All processes together stay within the limits, with one exception:
   * if more than two processes start within ten seconds beside a single running one, they may exceed a limit per second
   * until that one renews, by a sixth if eight start. The provider then refuses some calls, which wait. With smaller
   * shares of new processes, all calls would wait whenever many processes start at once.
   */
  share(): number
  /** Reports this process to the others, and counts them. */
  renew(): Promise<void>
  leave(): Promise<void>
}

/**
 * A new process uses this part of its share until the others know about it. Its calls fit into the fifth of each limit
 * that the shares of call-limits.ts leave free, and so do those of two that start beside a single running one.
 */
export const shareOfNew = 1 / 4

export const renewEveryMs = 10 * secondMs
/** A row lives long enough that two renewals may fail. */
const lifeMs = 45 * secondMs
/** After this time, each of the other processes has renewed and so has counted this one. */
const newMs = 2 * renewEveryMs

export function createProcesses(ctx: Context, breakers: () => BreakerReport[]): Processes {
  const { db, clock } = ctx
  const id = randomUUID() as Uuid // Other ids need the time, which a process does not have before it starts.
  let count = 1
  // These times are of the monotonic clock, because the database's clock may be set back.
  let knownUntilMs = -Infinity
  let newUntilMs = Infinity

  return {
    share() {
      const nowMs = clock.monotonicMs()
      const isNew = nowMs < newUntilMs || nowMs >= knownUntilMs
      return (isNew ? shareOfNew : 1) / count
    },
    async renew() {
      const [nowMs, beganMs] = [clock.now(), clock.monotonicMs()]
      const wasKnown = beganMs < knownUntilMs
      // The row is committed before the count, so that of two processes that start at once at least one sees the other.
      await renewProcess(db, { id, now: new Date(nowMs), until: new Date(nowMs + lifeMs), breakers: breakers() })
      count = Math.max(1, await countProcesses(db, new Date(nowMs)))
      knownUntilMs = beganMs + lifeMs
      if (!wasKnown) newUntilMs = count === 1 ? beganMs : beganMs + newMs
    },
    leave: () => removeProcess(db, id),
  }
}

export function listBreakers({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<BreakerReport[]> {
  return readReports(db, new Date(clock.now()))
}
