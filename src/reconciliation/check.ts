// A check: one of the loops of a rail, with the window that it is in and how far it has come. The row is the job: who dies in
// between leaves a lease that ends, and another process goes on at the page where it stopped.

import { statement, type Queryable } from '#platform/db/db.ts'
import { dayMs, hourMs, lagosOffsetMs, minuteMs, secondMs } from '#platform/durations.ts'
import type { RailName } from '#rails/rail.ts'
import type { StatementList } from '#rails/statement.ts'

/** `near`: what is fresh, every few minutes. `close`: a whole day, once. `day`: one that a person asked for. */
export type LoopName = 'near' | 'close' | 'day'

/** The steps of a window, in their order. */
export const steps = ['payouts', 'deposits', 'ledger', 'match', 'prove'] as const
export type Step = (typeof steps)[number]

export type Check = RailName & {
  loop: LoopName
  beganAt: Date
  fromAt: Date | null
  toAt: Date | null
  step: Step
  cursor: string | null
  /** Pages of the list of this step that were fetched, and a cursor among them. */
  pages: number
  markedCursor: string | null
  /** Which list of this window was given up, and why. */
  cut: string | null
  provedUntil: Date | null
  why: string | null
  balance: bigint | null
}

/** A check in whose window work can be done. */
export type OpenCheck = Check & { fromAt: Date; toAt: Date }

/** The list that a step fetches. */
export function listOf(step: Step): StatementList | undefined {
  return step === 'payouts' || step === 'deposits' || step === 'ledger' ? step : undefined
}

/** A page holds a hundred lines. A list of more pages does not end. */
export const pagesMax = 20_000

/** The check after a page with a next one, or why there is no use in fetching more. Cycles of any length are found. */
export function nextPage(check: OpenCheck, cursor: string): OpenCheck | string {
  const pages = check.pages + 1
  if (cursor === check.markedCursor) return `its page ${pages} leads back to a page before it`
  if (pages >= pagesMax) return `it has more than ${pagesMax} pages`
  const isPowerOfTwo = (pages & (pages - 1)) === 0
  return { ...check, cursor, pages, markedCursor: isPowerOfTwo ? cursor : check.markedCursor }
}

const nearEveryMs = 5 * minuteMs
const nearBackMs = 45 * minuteMs
/** After an outage the near loop goes back as far as it had come, up to this. Older is for the close. */
const nearBackMsMax = dayMs
const closeHourMs = 2 * hourMs

/**
 * From when on the lines of a rail are ours that is looked at now for the first time. A list tells the time by its provider's
 * clock, and often in whole seconds: what happens in the first moments may be listed as having happened before them.
 */
export function beginningAt(nowMs: number): Date {
  return new Date(Math.floor((nowMs - listedEarlierMsMax) / secondMs) * secondMs)
}

const listedEarlierMsMax = 5 * secondMs

/** The day of Lagos in which a moment lies, from its beginning. */
export function dayAt(ms: number): { fromMs: number; toMs: number; name: string } {
  const fromMs = Math.floor((ms + lagosOffsetMs) / dayMs) * dayMs - lagosOffsetMs
  return { fromMs, toMs: fromMs + dayMs, name: new Date(fromMs + lagosOffsetMs).toISOString().slice(0, 10) }
}

/** With a day more on each side, because lists are late and clocks differ. */
export function windowOfDay(fromMs: number, nowMs: number): { fromAt: Date; toAt: Date } {
  return { fromAt: new Date(fromMs - dayMs), toAt: new Date(Math.min(fromMs + 2 * dayMs, nowMs)) }
}

export function nextWindow({ loop, provedUntil }: Check, nowMs: number): { fromAt: Date; toAt: Date } {
  const yesterdayMs = dayAt(nowMs).fromMs - dayMs
  if (loop !== 'near') return windowOfDay(Math.min(yesterdayMs, nextDayOf(provedUntil) ?? yesterdayMs), nowMs)
  const provedMs = Math.min(provedUntil?.getTime() ?? nowMs, nowMs)
  const fromMs = Math.max(nowMs - nearBackMsMax, provedMs - nearBackMs)
  return { fromAt: new Date(fromMs), toAt: new Date(nowMs) }
}

/** A window ends within the day after the one that it proves, or at its end: no day is left out, however long nobody looked. */
function nextDayOf(provedUntil: Date | null): number | undefined {
  return provedUntil === null ? undefined : dayAt(provedUntil.getTime() - 1).fromMs
}

/** When a loop looks next. A day that a person asked for is looked at once; a list that was given up is left alone longer. */
export function nextDueAt({ loop, toAt, cut }: OpenCheck, nowMs: number): Date | null {
  if (loop === 'day') return null
  if (loop === 'near') return new Date(nowMs + (cut === null ? nearEveryMs : hourMs))
  const dayEndMs = dayAt(toAt.getTime() - 1).toMs
  return new Date(Math.max(nowMs, dayEndMs + closeHourMs))
}

/** The day that a close proves, in the middle of its window. */
export function provedDay({ fromAt }: OpenCheck): ReturnType<typeof dayAt> {
  return dayAt(fromAt.getTime() + dayMs)
}

/** What nobody could prove for so long wants a person. */
export const staleMs = 26 * hourMs

// The SQL of checks. They are found by their rail; no tenant has a part in them, so they stand in no lane.

const columns = `environment, rail, loop, began_at as "beganAt", from_at as "fromAt", to_at as "toAt", step, cursor,
  pages, marked_cursor as "markedCursor", cut, proved_until as "provedUntil", why, balance`

const insertRows = statement(
  'reconcile.begin_checks',
  `insert into rail_check (environment, rail, loop, due_at, began_at)
   select $1, $2, loop, $3, $4 from unnest(array['near', 'close']) as loop
   on conflict (environment, rail, loop) do nothing`,
)

/** From now on the rail is looked at. */
export async function beginChecks(
  db: Queryable,
  { environment, rail }: RailName,
  { now, beganAt }: { now: Date; beganAt: Date },
): Promise<void> {
  await db.query(insertRows, [environment, rail, now, beganAt])
}

const claimDue = statement(
  'reconcile.claim_check',
  `with due as materialized (
     select loop from rail_check where environment = $1 and rail = $2 and due_at <= $3
      order by due_at limit 1 for update skip locked)
   update rail_check set due_at = $4
    where environment = $1 and rail = $2 and loop = any(array(select loop from due))
   returning ${columns}`,
)

/** One that is due; nobody else has it before the lease ends. */
export async function claimCheck(
  db: Queryable,
  { environment, rail }: RailName,
  { now, leaseEnd }: { now: Date; leaseEnd: Date },
): Promise<Check | undefined> {
  const [row] = await db.query<Check>(claimDue, [environment, rail, now, leaseEnd])
  return row
}

const saveRow = statement(
  'reconcile.save_check',
  `update rail_check set due_at = $5, from_at = $6, to_at = $7, step = $8, cursor = $9, proved_until = $10, why = $11,
          balance = $12, pages = $13, marked_cursor = $14, cut = $15
    where environment = $1 and rail = $2 and loop = $3 and due_at = $4
   returning 1 as one`,
)

/** False: the lease has ended and somebody else goes on with it, so that nothing may be written. */
export async function saveCheck(
  db: Queryable,
  check: Check,
  { leaseEnd, dueAt }: { leaseEnd: Date; dueAt: Date | null },
): Promise<boolean> {
  const { environment, rail, loop, fromAt, toAt, step, cursor, provedUntil, why, balance, pages } = check
  const place = [fromAt, toAt, step, cursor, provedUntil, why, balance, pages, check.markedCursor, check.cut]
  return (await db.query(saveRow, [environment, rail, loop, leaseEnd, dueAt, ...place])).length > 0
}

const askForDay = statement(
  'reconcile.ask_for_day',
  `insert into rail_check (environment, rail, loop, due_at, began_at, from_at, to_at)
   select environment, rail, 'day', $3, began_at, $4, $5 from rail_check
    where environment = $1 and rail = $2 and loop = 'close'
   on conflict (environment, rail, loop) do update
     set due_at = $3, from_at = $4, to_at = $5, step = 'payouts', cursor = null, pages = 0, marked_cursor = null, cut = null,
         proved_until = null, why = null
   returning 1 as one`,
)

type Day = { now: Date; fromAt: Date; toAt: Date }

/** False: no process looks after this rail. */
export async function writeDay(db: Queryable, { environment, rail }: RailName, day: Day): Promise<boolean> {
  return (await db.query(askForDay, [environment, rail, day.now, day.fromAt, day.toAt])).length > 0
}

const oneRow = statement(
  'reconcile.find_check',
  `select ${columns}, due_at as "dueAt" from rail_check where environment = $1 and rail = $2 and loop = $3`,
)

export async function findCheck(db: Queryable, { environment, rail }: RailName, loop: LoopName) {
  const [row] = await db.query<Check & { dueAt: Date | null }>(oneRow, [environment, rail, loop])
  return row
}

const allRows = statement(
  'reconcile.all_checks',
  `select ${columns} from rail_check order by environment, rail, loop limit $1`,
)

export function findChecks(db: Queryable, limit: number): Promise<Check[]> {
  return db.query<Check>(allRows, [limit])
}
