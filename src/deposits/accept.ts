// Money that is there: whether the account takes it, and then the credit and the event, with the status in one commit.

import type { Context, Environment } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Position } from '#platform/db/numbered-list.ts'
import { judge, type VirtualAccount } from '#virtual-accounts/account.ts'
import type { PaidAccounts } from '#virtual-accounts/paid-accounts.ts'
import { accountMention, customerMention } from '#virtual-accounts/wire.ts'
import type { EventPipe } from '#events/outbox.ts'
import { bookFloat } from '#ledger/float.ts'
import type { Book } from '#ledger/post.ts'
import { receivedPostings } from '#ledger/chart.ts'
import { holdsMoney } from '#rails/reference.ts'
import { depositReference, type Deposit, type DepositFees } from './deposit.ts'
import type { Positions } from './record.ts'
import type { NoticeOwners } from './notice-claims.ts'
import { depositData } from './wire.ts'

/** What one transaction knows, and what it has decided so far. */
export type BatchState = {
  ctx: Context
  fees: DepositFees
  events: EventPipe
  tx: Tx
  book: Book
  /** As the decisions so far leave them. */
  accounts: PaidAccounts
  /** Where the next deposit of each tenant stands. */
  positions: Positions
  /** As the decisions so far leave them. */
  deposits: Map<Uuid, Deposit>
  /** Which deposit a notice is about. */
  ids: Map<string, Uuid>
  /** Of the notices that are about no deposit of theirs who heard them. */
  owners: NoticeOwners
  /** The notices that wait for a person, by `noticeSubject`. */
  kept: ReadonlySet<string>
  /** The positions of those that are new. */
  added: Map<Uuid, Position>
  changed: Set<Uuid>
  completed: VirtualAccount[]
  /** Those whose money goes back. */
  returned: Deposit[]
}

/** When it became known that the money is there, where the request that told stands in its trace, and whose word it is. */
type Told = { at: Date; trace: string | null; environment: Environment }

/** Its verdict, at once in the books: SUCCESSFUL and credited, or FAILED and marked for return. */
export function accept(state: BatchState, pending: Deposit, { at, trace, environment }: Told): Deposit {
  const { tx, book, accounts, events } = state
  const paid = accounts.find(pending)
  const verdict = paid === undefined ? undefined : judge(paid.account, pending.amount, pending.paidAt)
  bookAtRail(state, pending, { environment, isOwned: verdict?.kind !== 'returned' })
  if (verdict?.kind === 'returned') {
    const marked: Deposit = { ...failed(pending, at), returnReason: verdict.reason }
    state.returned.push(marked)
    return marked
  }
  const deposit: Deposit = { ...pending, ...ended, status: 'SUCCESSFUL', updatedAt: at }
  const { tenantId, id } = deposit
  const cause = { id, reference: depositReference(id), atMs: at.getTime() }
  book.post(tenantId, deposit.currency, cause, receivedPostings(deposit.amount, deposit.fee))
  if (paid === undefined) return deposit
  if (verdict?.completes === true) {
    const account: VirtualAccount = { ...paid.account, status: 'COMPLETED', updatedAt: at }
    accounts.replace(account)
    state.completed.push(account)
  }
  const customer = paid.customer === undefined ? {} : { customer: customerMention(paid.customer) }
  events.emit(tx, {
    tenantId,
    name: paid.account.type === 'static' ? 'customer.deposit.success' : 'deposit.success',
    sourceId: id,
    reference: cause.reference,
    data: { ...depositData(deposit), virtualAccount: accountMention(paid.account), ...customer },
    atMs: cause.atMs,
    trace,
  })
  return deposit
}

/** What must go back is nobody's until it has. */
function bookAtRail(
  { ctx, tx }: BatchState,
  { provider: rail, providerId: subject, currency, amount, lane }: Deposit,
  { environment, isOwned }: { environment: Environment; isOwned: boolean },
): void {
  if (!holdsMoney(rail)) return
  const cause = { environment, rail, currency, subject, reference: subject, lane, at: new Date(ctx.clock.now()) }
  bookFloat(tx, isOwned ? 'deposit' : 'unowned', cause, amount)
}

export function failed(pending: Deposit, at: Date): Deposit {
  return { ...pending, ...ended, status: 'FAILED', updatedAt: at }
}

/** Nobody asks about it any more. */
const ended = { held: false, dueAt: null }
