// A day that a person wants to be held against ours once more. The row is the job: a worker takes it up.

import type { Context } from '#base/context.ts'
import type { RailName } from '#rails/rail.ts'
import { dayAt, windowOfDay, type Check } from './check.ts'
import { findCheck, writeDay } from './sql-checks.ts'

/** Undefined: it is no day of the calendar, or has not begun in Lagos. */
export function parseDay(unchecked: string, nowMs: number): number | undefined {
  const noonMs = Date.parse(`${unchecked}T12:00:00+01:00`)
  if (!/^\d{4}-\d\d-\d\d$/.test(unchecked) || Number.isNaN(noonMs)) return undefined
  const { fromMs, name } = dayAt(noonMs)
  return name === unchecked && fromMs < nowMs ? fromMs : undefined
}

/** False: no worker of this database has ever looked after the rail. What is asked for now replaces what was asked before. */
export function askForDay({ db, clock }: Context, name: RailName, fromMs: number): Promise<boolean> {
  const nowMs = clock.now()
  return writeDay(db, name, { now: new Date(nowMs), ...windowOfDay(fromMs, nowMs) })
}

/** `isBegun`: a worker has taken it up, or has failed to. */
export type DayState =
  | { kind: 'done' }
  | { kind: 'under-way'; isBegun: boolean; why: string | null; step: Check['step'] }

export async function dayState({ db, clock }: Context, name: RailName): Promise<DayState> {
  const found = await findCheck(db, name, 'day')
  if (found === undefined || found.dueAt === null) return { kind: 'done' }
  const { dueAt, why, step } = found
  return { kind: 'under-way', isBegun: why !== null || dueAt.getTime() > clock.now(), why, step }
}
