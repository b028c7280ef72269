// The SQL of the processes that serve rails.

import { statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { BreakerReport } from './processes.ts'

const upsertProcess = statement(
  'rails.renew_process',
  `with gone as (delete from rail_process where alive_until <= $2 and id <> $1)
   insert into rail_process (id, alive_until, breakers) values ($1, $3, $4::jsonb)
   on conflict (id) do update set alive_until = excluded.alive_until, breakers = excluded.breakers`,
)

export type ProcessRow = { id: Uuid; now: Date; until: Date; breakers: BreakerReport[] }

export async function renewProcess(db: Queryable, { id, now, until, breakers }: ProcessRow): Promise<void> {
  await db.query(upsertProcess, [id, now, until, JSON.stringify(breakers)])
}

const countAlive = statement(
  'rails.count_processes',
  'select count(*)::int as count from rail_process where alive_until > $1',
)

export async function countProcesses(db: Queryable, now: Date): Promise<number> {
  return (await db.query<{ count: number }>(countAlive, [now]))[0]?.count ?? 0
}

const deleteProcess = statement('rails.remove_process', 'delete from rail_process where id = $1')

export async function removeProcess(db: Queryable, id: Uuid): Promise<void> {
  await db.query(deleteProcess, [id])
}

const selectReports = statement(
  'rails.breaker_reports',
  `select report from rail_process cross join lateral jsonb_array_elements(breakers) as report
    where alive_until > $1 order by (report->>'sinceMs')::bigint`,
)

export async function readReports(db: Queryable, now: Date): Promise<BreakerReport[]> {
  return (await db.query<{ report: BreakerReport }>(selectReports, [now])).map(({ report }) => report)
}
