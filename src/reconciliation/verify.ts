// Proves for `ledger verify` that each balance change that a provider listed is in the float book, once its day is
// closed. The payments and deposits modules prove the reverse: each movement has its cause. Lists belong to no
// tenant, so they have no lane.

import { readFloat } from '#ledger/float.ts'
import type { InvariantCheck, Invariant } from '#ledger/table-scan.ts'
import { statement, type InLane } from '#platform/db/db.ts'
import type { RailName } from '#rails/rail.ts'
import { findChecks, underWayMs } from './schedule.ts'
import { compareLedgerLine, type LineChange } from './line-rules.ts'

// A balance change by a payout is booked under the reference of our payment, which the list of payouts has. If the
// payout came back before we saw it paid, only the cost is booked. Two cases may have no booking: a payout that was
// sent and came back, and a payout that we never ordered, whose mismatch an operator has closed. References are looked
// up in the order of their index (see lines.ts).
const linesOfLedger = statement(
  'reconcile.verify_lines',
  `with page as materialized (
     select line_id, direction, cause, reference, amount, currency, country, state, at, due_at from rail_line
      where (environment, rail, list, line_id) > ($1, $2, 'ledger', $3)
        and environment = $1 and rail = $2 and list = 'ledger'
      order by environment, rail, list, line_id limit $4)
   select page.line_id as "lineId", page.direction, page.cause, page.reference, page.amount, page.currency, page.at,
          page.country, page.state, page.due_at is not null as "isDue",
          array(select f.kind || ' ' || f.amount from float_movement f
                 where f.environment = $1 and f.rail = $2 and f.subject = page.line_id
                   and f.kind = any(array['settlement', 'refund', 'top_up', 'withdrawal', 'payout_cost'])) as booked,
          page.cause = 'payout' and (exists (
            select 1 from rail_line p
             cross join lateral (
               select * from float_movement
                where (environment, rail, reference) >= ($1, $2, p.reference)
                order by environment, rail, reference limit 16) as m
             where p.environment = $1 and p.rail = $2 and p.list = 'payouts' and p.line_id = page.reference
               and m.environment = $1 and m.rail = $2 and m.reference = p.reference and m.kind in ('payout', 'payout_cost'))
          or exists (
            select 1 from rail_line p
              join rail_break b on b.environment = $1 and b.rail = $2 and b.kind = 'unknown-payout'
                               and b.subject = p.reference || ' ' || p.line_id
             where p.environment = $1 and p.rail = $2 and p.list = 'payouts' and p.line_id = page.reference
               and b.closed_at is not null)
          or 0 = (
            select sum(case l.direction when 'in' then l.amount else -l.amount end) from (
              select * from rail_line
               where (environment, rail, list, reference) >= ($1, $2, 'ledger', page.reference)
               order by environment, rail, list, reference limit 16) as l
             where l.environment = $1 and l.rail = $2 and l.list = 'ledger' and l.reference = page.reference))
          as "isSettled"
     from page order by page.line_id`,
)

/**
 * `booked`: kinds and amounts that are booked under the line's id. `isSettled`: true for the change of a payout that is
 * booked with its payment or needs no booking.
 */
type ListedChange = LineChange & {
  isDue: boolean
  booked: string[]
  isSettled: boolean
}

async function* changePages(
  { query }: InLane,
  { environment, rail }: RailName,
  rowsPerPage: number,
): AsyncGenerator<ListedChange[]> {
  let after = ''
  for (;;) {
    const page = await query<ListedChange>(linesOfLedger, [environment, rail, after, rowsPerPage])
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    if (page.length < rowsPerPage) return
    after = last.lineId
  }
}

export const reconcileInvariants: Invariant[] = [
  { name: 'each change of what a rail holds is in its float book, once its day is closed', run: checkChanges },
]

const railsMax = 1_000

async function checkChanges(check: InvariantCheck): Promise<void> {
  if (!check.isFirstLane) return
  for (const { environment, rail, loop, beganAt, provedUntil } of await findChecks(check.lane, railsMax))
    if (loop === 'close' && provedUntil !== null)
      await checkRail(check, { environment, rail }, { beganAt, provedUntil })
}

type ProvedUntil = { beganAt: Date; provedUntil: Date }

async function checkRail(check: InvariantCheck, name: RailName, proved: ProvedUntil): Promise<void> {
  const { environment, rail } = name
  const book = await readFloat(check.lane, name)
  const currencies = new Set<string>(['NGN', ...book.map(({ currency }) => currency)])
  const message = `${rail} (${environment}) listed changes of its balance that its float book does not have`
  for await (const changes of changePages(check.lane, name, check.rowsPerPage)) {
    const ids = changes
      .filter((change) => currencies.has(change.currency) && !isBooked(change, proved))
      .map(({ lineId }) => lineId)
    if (ids.length > 0) check.report({ ids, message })
    check.progress(changes.length)
  }
}

/**
 * Also true for changes that need no booking, or not yet: those from before reconciliation began or after the proved
 * time, and those that are due for another comparison.
 */
function isBooked(change: ListedChange, { beganAt, provedUntil }: ProvedUntil): boolean {
  const { at, cause, amount, isDue, isSettled, booked } = change
  if (at < beganAt || at >= provedUntil || isDue || amount === 0n) return true
  if (cause === 'payout') return isSettled || provedUntil.getTime() - at.getTime() < underWayMs
  return compareLedgerLine(change, beganAt).bookings.every((booking) =>
    booked.includes(`${booking.kind} ${booking.amount}`),
  )
}
