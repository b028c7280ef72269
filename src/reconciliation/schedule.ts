// When each loop of a rail's reconciliation runs, and which window of time it reads. A loop is a row of `rail_check`, with
// its window and progress. If a process dies, the lease of the row ends and another process continues at the same page.

import { statement, type Queryable } from '#platform/db/db.ts'
import { dayMs, hourMs, lagosOffsetMs, minuteMs, secondMs } from '#platform/durations.ts'
import type { RailName, Wallet } from '#rails/rail.ts'
import type { StatementList } from '#rails/statement.ts'

/** `near`: recent lines, every five minutes. `close`: a whole day, once. `day`: a day that an operator requested. */
export type LoopName = 'near' | 'close' | 'day'

export const steps = ['payouts', 'deposits', 'ledger', 'match', 'prove'] as const
export type CheckStep = (typeof steps)[number]

export type RailCheck = RailName & {
  loop: LoopName
  beganAt: Date
  fromAt: Date | null
  toAt: Date | null
  step: CheckStep
  cursor: string | null
  /** The number of pages fetched of this step's list, and an earlier cursor, by which a cycle of pages is detected. */
  pages: number
  markedCursor: string | null
  /** The list of this window that was abandoned, and why. */
  cut: string | null
  /** All lines before this time were compared; null if no window has ended yet. */
  provedUntil: Date | null
  why: string | null
  wallets: NotedWallet[] | null
}

export type NotedWallet = Omit<Wallet, 'amount'> & { amount: string }

/** A payout may be in our book alone, or in the provider's list alone, for this long. */
export const underWayMs = 48 * hourMs

export type OpenCheck = RailCheck & { fromAt: Date; toAt: Date }

export function listOf(step: CheckStep): StatementList | undefined {
  return step === 'payouts' || step === 'deposits' || step === 'ledger' ? step : undefined
}

/** A page has about a hundred lines. A list with more pages than this counts as endless. */
export const pagesMax = 20_000

/**
 * Returns the check at its next page, or the reason to abandon the list. Finds cycles of any length, because each cursor
 * is compared with the one that was marked at the last power of two (Brent's algorithm).
 */
export function nextPage(check: OpenCheck, cursor: string): OpenCheck | string {
  const pages = check.pages + 1
  if (cursor === check.markedCursor) return `its page ${pages} leads back to a page before it`
  if (pages >= pagesMax) return `it has more than ${pagesMax} pages`
  const isPowerOfTwo = (pages & (pages - 1)) === 0
  return { ...check, cursor, pages, markedCursor: isPowerOfTwo ? cursor : check.markedCursor }
}

const nearEveryMs = 5 * minuteMs
const nearBackMs = 45 * minuteMs
/** After an outage the near loop continues where it stopped, but reads at most this much. The close loop reads the rest. */
const nearBackMsMax = dayMs
const closeHourMs = 2 * hourMs

/**
 * The time from which the lines of a new rail are checked: five seconds ago, because a list uses the provider's clock, often
 * in whole seconds, and may date the first lines earlier.
 */
export function beginningAt(nowMs: number): Date {
  return new Date(Math.floor((nowMs - listedEarlierMsMax) / secondMs) * secondMs)
}

const listedEarlierMsMax = 5 * secondMs

export function dayAt(ms: number): { fromMs: number; toMs: number; name: string } {
  const fromMs = Math.floor((ms + lagosOffsetMs) / dayMs) * dayMs - lagosOffsetMs
  return { fromMs, toMs: fromMs + dayMs, name: new Date(fromMs + lagosOffsetMs).toISOString().slice(0, 10) }
}

/** Adds a day on each side, because lists are late and clocks differ; ends now at the latest. */
export function windowOfDay(fromMs: number, nowMs: number): { fromAt: Date; toAt: Date } {
  return { fromAt: new Date(fromMs - dayMs), toAt: new Date(Math.min(fromMs + 2 * dayMs, nowMs)) }
}

export function nextWindow({ loop, provedUntil }: RailCheck, nowMs: number): { fromAt: Date; toAt: Date } {
  const yesterdayMs = dayAt(nowMs).fromMs - dayMs
  if (loop !== 'near') return windowOfDay(Math.min(yesterdayMs, nextDayOf(provedUntil) ?? yesterdayMs), nowMs)
  const provedMs = Math.min(provedUntil?.getTime() ?? nowMs, nowMs)
  const fromMs = Math.max(nowMs - nearBackMsMax, provedMs - nearBackMs)
  return { fromAt: new Date(fromMs), toAt: new Date(nowMs) }
}

/**
 * The next day to prove: the one after the last proved day, so that an outage skips no day. The last window also read
 * the day after its own (`windowOfDay`), so its end, `provedUntil`, is during the next day to prove or at that day's
 * end.
 */
function nextDayOf(provedUntil: Date | null): number | undefined {
  return provedUntil === null ? undefined : dayAt(provedUntil.getTime() - 1).fromMs
}

/**
 * When a loop is due next. A requested day runs once. A loop that abandoned a list pauses for an hour: it would fetch up
 * to `pagesMax` pages of the same list again.
 */
export function nextDueAt({ loop, toAt, cut }: OpenCheck, nowMs: number): Date | null {
  if (loop === 'day') return null
  if (cut !== null) return new Date(nowMs + hourMs)
  if (loop === 'near') return new Date(nowMs + nearEveryMs)
  const dayEndMs = dayAt(toAt.getTime() - 1).toMs
  return new Date(Math.max(nowMs, dayEndMs + closeHourMs))
}

/** The day that a window of `close` or `day` proves. The window begins a day earlier. */
export function provedDay({ fromAt }: OpenCheck): ReturnType<typeof dayAt> {
  return dayAt(fromAt.getTime() + dayMs)
}

/**
 * If a loop's fetch fails and the loop (`near` or `close`) has proved nothing for this long, a mismatch is opened for
 * our staff.
 */
export const staleMs = 26 * hourMs

const columns = `environment, rail, loop, began_at as "beganAt", from_at as "fromAt", to_at as "toAt", step, cursor,
  pages, marked_cursor as "markedCursor", cut, proved_until as "provedUntil", why, wallets`

const insertRows = statement(
  'reconcile.begin_checks',
  `insert into rail_check (environment, rail, loop, due_at, began_at)
   select $1, $2, loop, $3, $4 from unnest(array['near', 'close']) as loop
   on conflict (environment, rail, loop) do nothing`,
)

/** Creates the `near` and the `close` loop of a rail that has none. */
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

/**
 * Claims a due check; no other process gets it before the lease ends. Checks belong to rails and not to tenants, so
 * their rows have no lane.
 */
export async function claimCheck(
  db: Queryable,
  { environment, rail }: RailName,
  { now, leaseEnd }: { now: Date; leaseEnd: Date },
): Promise<RailCheck | undefined> {
  const [row] = await db.query<RailCheck>(claimDue, [environment, rail, now, leaseEnd])
  return row
}

const saveRow = statement(
  'reconcile.save_check',
  `update rail_check set due_at = $5, from_at = $6, to_at = $7, step = $8, cursor = $9, proved_until = $10, why = $11,
          wallets = $12, pages = $13, marked_cursor = $14, cut = $15
    where environment = $1 and rail = $2 and loop = $3 and due_at = $4
   returning 1 as one`,
)

/**
 * Returns false if another process has claimed the check, or an operator has requested its day again. Then this process
 * must write nothing.
 */
export async function saveCheck(
  db: Queryable,
  check: RailCheck,
  { leaseEnd, dueAt }: { leaseEnd: Date; dueAt: Date | null },
): Promise<boolean> {
  const { environment, rail, loop, fromAt, toAt, step, cursor, provedUntil, why, wallets, pages } = check
  const place = [
    fromAt,
    toAt,
    step,
    cursor,
    provedUntil,
    why,
    wallets === null ? null : JSON.stringify(wallets),
    pages,
    check.markedCursor,
    check.cut,
  ]
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

/** Returns false if no process has ever checked this rail. */
export async function writeDay(db: Queryable, { environment, rail }: RailName, day: Day): Promise<boolean> {
  return (await db.query(askForDay, [environment, rail, day.now, day.fromAt, day.toAt])).length > 0
}

const oneRow = statement(
  'reconcile.find_check',
  `select ${columns}, due_at as "dueAt" from rail_check where environment = $1 and rail = $2 and loop = $3`,
)

export async function findCheck(db: Queryable, { environment, rail }: RailName, loop: LoopName) {
  const [row] = await db.query<RailCheck & { dueAt: Date | null }>(oneRow, [environment, rail, loop])
  return row
}

const allRows = statement(
  'reconcile.all_checks',
  `select ${columns} from rail_check order by environment, rail, loop limit $1`,
)

export function findChecks(db: Queryable, limit: number): Promise<RailCheck[]> {
  return db.query<RailCheck>(allRows, [limit])
}
