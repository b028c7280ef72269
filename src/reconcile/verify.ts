// What reconciliation promises about float books, for `ledger verify`: the way back. That each movement has its cause the rooms
// of payments and deposits prove; here, that what a provider listed has its movement, once its day is closed.

import type { Check, Invariant } from '#ledger/invariant.ts'
import type { RailName } from '#rails/rail.ts'
import { judgeLedgerLine } from './judge-ledger.ts'
import { findChecks } from './sql-checks.ts'
import { changePages, type ListedChange } from './sql-verify.ts'

export const reconcileInvariants: Invariant[] = [
  { name: 'each change of what a rail holds is in its float book, once its day is closed', run: checkChanges },
]

const railsMax = 1_000
/** What is under way may be listed for so long before its payment has ended. */
const underWayMs = 48 * 3_600_000

async function checkChanges(check: Check): Promise<void> {
  if (!check.isFirstLane) return
  for (const { environment, rail, loop, beganAt, provedUntil } of await findChecks(check.lane, railsMax))
    if (loop === 'close' && provedUntil !== null)
      await checkRail(check, { environment, rail }, { beganAt, provedUntil })
}

type Proved = { beganAt: Date; provedUntil: Date }

async function checkRail(check: Check, name: RailName, proved: Proved): Promise<void> {
  const { environment, rail } = name
  const message = `${rail} (${environment}) listed changes of its balance that its float book does not have`
  for await (const changes of changePages(check.lane, name, check.rowsPerPage)) {
    const ids = changes.filter((change) => !isBooked(change, proved)).map(({ lineId }) => lineId)
    if (ids.length > 0) check.report({ ids, message })
    check.progress(changes.length)
  }
}

/** Also what need not be: before the rail was looked at, after what is proved, or about to be looked at once more. */
function isBooked(change: ListedChange, { beganAt, provedUntil }: Proved): boolean {
  const { at, cause, amount, currency, isDue, isSettled, booked } = change
  if (at < beganAt || at >= provedUntil || isDue || amount === 0n || currency !== 'NGN') return true
  if (cause === 'payout') return isSettled || provedUntil.getTime() - at.getTime() < underWayMs
  return judgeLedgerLine(change, beganAt).bookings.every((booking) =>
    booked.includes(`${booking.kind} ${booking.amount}`),
  )
}
