// Accepts money that has arrived: decides whether the account takes it, then writes the credit, the event and the
// status in one commit.

import type { Context, Environment } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Position } from '#platform/db/numbered-list.ts'
import { judgeDeposit, type VirtualAccount } from '#virtual-accounts/account.ts'
import type { PaidAccounts } from '#virtual-accounts/paid-accounts.ts'
import { accountMention, customerMention } from '#virtual-accounts/wire.ts'
import type { EventOutbox } from '#events/outbox.ts'
import { bookFloat } from '#ledger/float.ts'
import type { Book } from '#ledger/post.ts'
import { receivedPostings } from '#ledger/chart.ts'
import { holdsMoney } from '#rails/reference.ts'
import { type Deposit, depositData, type DepositFees, depositReference } from './deposit.ts'
import type { Positions } from './record.ts'
import type { NoticeOwners } from './notice-claims.ts'

/** The state of one batch: what the transaction has read and decided so far. */
export type BatchState = {
  ctx: Context
  fees: DepositFees
  events: EventOutbox
  tx: Tx
  book: Book
  /** Updated by the decisions so far. */
  accounts: PaidAccounts
  /** List position of each tenant's next deposit. */
  positions: Positions
  /** Updated by the decisions so far. */
  deposits: Map<Uuid, Deposit>
  /** Deposit id by notice (`noticeText`). */
  ids: Map<string, Uuid>
  /** The tenants that own notices, if their own tenant has no deposit of the notice yet. */
  owners: NoticeOwners
  /** Subjects (`noticeSubject`) of the notices that await review. */
  kept: ReadonlySet<string>
  /** List positions of new deposits. */
  added: Map<Uuid, Position>
  changed: Set<Uuid>
  completed: VirtualAccount[]
  /** Deposits whose money goes back. */
  returned: Deposit[]
}

/** `at`: when the service learned that the money is there. `trace`: the trace of the request that reported it. */
type Told = { at: Date; trace: string | null; environment: Environment }

/** Decides and posts at once: SUCCESSFUL and credited, or FAILED and marked for return. */
export function accept(state: BatchState, pending: Deposit, { at, trace, environment }: Told): Deposit {
  const { tx, book, accounts, events } = state
  const paid = accounts.find(pending)
  const verdict = paid === undefined ? undefined : judgeDeposit(paid.account, pending.amount, pending.paidAt)
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

/** Money that must go back is booked as unowned until it has. */
function bookAtRail(
  { ctx, tx }: BatchState,
  { provider: rail, providerId: subject, currency, amount, lane }: Deposit,
  { environment, isOwned }: { environment: Environment; isOwned: boolean },
): void {
  if (!holdsMoney(rail)) return
  const at = new Date(ctx.clock.now())
  const cause = { environment, rail, currency, country: null, subject, reference: subject, lane, at }
  bookFloat(tx, isOwned ? 'deposit' : 'unowned', cause, amount)
}

export function failed(pending: Deposit, at: Date): Deposit {
  return { ...pending, ...ended, status: 'FAILED', updatedAt: at }
}

/** A deposit that has ended is not polled. */
const ended = { held: false, dueAt: null }
