// Decides what follows from a notice, from a status that a tester sends, or from a due poll. It makes a deposit,
// credits or fails a known one, returns money that its account does not take (`judgeDeposit`, deposit.ts), or raises a review
// item, which leaves the decision to an operator. A notice is credited once, however often it arrives. A real deposit for
// which the books have no room stays PENDING until an operator has reviewed it (`storeForRoom`). Money for an account
// that no customer owns does not come here: notice-claims.ts (`objectionTo`) keeps it for review. record.ts reads the
// state of the batch before these decisions, and writes the deposits after them.

import { recordEntry as recordAct } from '#audit/record.ts'
import type { Tenant, Actor, Context, Environment } from '#platform/context.ts'
import { dayMs, hourMs } from '#platform/durations.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import { negate, unitOf, zero } from '#platform/money.ts'
import { closeReviewItems, raiseReviewItem, noticeSubject } from '#review/review-queue.ts'
import { type VirtualAccount, accountMention, customerMention } from '#virtual-accounts/account.ts'
import {
  judgeDeposit,
  type ReceiveOutcome,
  type SettleCommand,
  meaningOf,
  type Deposit,
  type DepositStatus,
  type NoticeCommand,
  type OwnedNotice,
  depositReference,
  type PollCommand,
  depositData,
} from './deposit.ts'
import type { PaidKey, PaidAccounts } from '#virtual-accounts/account-owners.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Position } from '#platform/db/numbered-list.ts'
import type { EventOutbox } from '#events/outbox.ts'
import { bookFloat } from '#ledger/float.ts'
import type { Book } from '#ledger/post.ts'
import { receivedPostings } from '#ledger/chart.ts'
import { holdsMoney } from '#rails/formats.ts'
import { depositFeeOf, type DepositFees } from './fees.ts'
import { storeNotice, resolveNotice, noticeText, subjectOf, type NoticeOwners } from './notice-claims.ts'
import type { Positions } from './record.ts'

/** `byPerson`: an operator or tester reports the status; they may also credit a deposit that awaits review. */
type StatusReport = { tenant: Tenant; status: DepositStatus; byPerson: boolean; trace: string | null }

function applyStatus(state: BatchState, known: Deposit, report: StatusReport): ReceiveOutcome {
  const { tenant, status, byPerson, trace } = report
  const meaning = meaningOf(known, status)
  if (meaning === 'nothing new') return { kind: 'unchanged', deposit: known }
  if (meaning === 'contradiction') return { kind: 'contradicted', deposit: known }
  const { book, ctx, tx } = state
  const { tenantId, currency, amount } = known
  // The amount has counted as incoming since the deposit was recorded. So it fits now, unless it exceeded the limit
  // when it was recorded.
  const fits = status === 'FAILED' || book.hasRoom(tenantId, currency, zero)
  if (!fits && byPerson) return { kind: 'too-much' }
  if (!fits || (status === 'SUCCESSFUL' && known.held && !byPerson)) return holdForReview(state, known)
  book.addIncoming(tenantId, currency, negate(amount))
  const nowMs = Math.max(ctx.clock.now(), known.createdAt.getTime())
  const at = new Date(book.timeMs(tenantId, nowMs))
  const deposit =
    status === 'FAILED' ? failed(known, at) : accept(state, known, { at, trace, environment: tenant.environment })
  state.deposits.set(deposit.id, deposit)
  state.changed.add(deposit.id)
  const about = { subject: noticeSubject(tenant.environment, deposit), note: `the deposit became ${deposit.status}` }
  closeReviewItems(ctx, tx, [
    { kind: 'deposit-without-room', ...about },
    { kind: 'deposit-unsettled', ...about },
  ])
  return { kind: 'settled', deposit }
}

function holdForReview(state: BatchState, known: Deposit): ReceiveOutcome {
  const deposit: Deposit = { ...known, held: true, dueAt: null }
  if (!known.held) {
    state.deposits.set(deposit.id, deposit)
    state.changed.add(deposit.id)
  }
  return { kind: 'waits-for-room', deposit }
}

export function applyTestersStatus(
  state: BatchState,
  { deposit, status, tenant, trace = null }: SettleCommand,
): ReceiveOutcome {
  const known = state.deposits.get(deposit.id)
  if (known === undefined || known.tenantId !== tenant.id) return { kind: 'not-found' }
  return applyStatus(state, known, { tenant, status, byPerson: true, trace })
}

export function applyNotice(state: BatchState, command: NoticeCommand): ReceiveOutcome {
  const outcome = decide(state, command)
  const { adopted } = command
  if (outcome.kind === 'waits-for-room') storeForRoom(state, command, outcome.deposit)
  const isNew = outcome.kind === 'recorded' || outcome.kind === 'settled'
  if ((isNew || outcome.kind === 'unchanged') && outcome.deposit.status !== 'PENDING') {
    const isStored = state.stored.has(subjectOf(command))
    if (isStored)
      resolveStored(
        state,
        command,
        adopted === undefined ? `the deposit became ${outcome.deposit.status}` : `adopted: ${adopted.note}`,
      )
    if (adopted !== undefined && (isNew || isStored))
      recordAdoption(state, command, { ...adopted, deposit: outcome.deposit })
  }
  return outcome
}

function resolveStored({ ctx, tx }: BatchState, command: NoticeCommand, note: string): void {
  const { tenant, notice } = command
  resolveNotice(tx, { ...notice, environment: tenant.environment }, new Date(ctx.clock.now()))
  closeReviewItems(ctx, tx, [{ kind: 'notice-unowned', subject: subjectOf(command), note }])
}

function recordAdoption(
  { ctx, tx }: BatchState,
  command: NoticeCommand,
  { note, by, deposit }: { note: string; by: Actor; deposit: Deposit },
): void {
  const { tenant, notice } = command
  const details = { notice: subjectOf(command), account: notice.accountNumber, amount: notice.amount.toString(), note }
  recordAct(tx, ctx.clock.now(), {
    by,
    act: 'deposit.adopted',
    tenantId: tenant.id,
    subject: formatId('deposit', deposit.id),
    details,
  })
}

function decide(state: BatchState, command: NoticeCommand): ReceiveOutcome {
  const { tenant, notice, adopted } = command
  const known = state.deposits.get(state.ids.get(noticeText({ ...notice, tenantId: tenant.id })) ?? ('' as Uuid))
  if (known !== undefined) return applyAgain(state, known, command)
  const owner = state.owners.get(subjectOf(command))
  if (owner !== undefined && owner !== tenant.id) {
    if (adopted === undefined) raiseContradiction(state, command, 'it has made a deposit of another business')
    return { kind: 'taken' }
  }
  if (adopted === undefined) return record(state, command)
  // An adopted notice is claimed only if its account could take the money when the batch began, and only a claimed
  // notice is credited.
  return refusalOfAdoption(state, command) ?? (owner === undefined ? { kind: 'too-much' } : record(state, command))
}

/** Why an operator cannot give the money to this account; undefined if the account and its business can take it. */
export function refusalOfAdoption(
  { accounts, book }: BatchState,
  { tenant, notice }: NoticeCommand,
): ReceiveOutcome | undefined {
  const paid = accounts.find(paidKeyOf(tenant, notice))
  if (paid === undefined) return { kind: 'not-found' }
  const verdict = judgeDeposit(paid.account, notice.amount, new Date(notice.occurredAtMs))
  if (verdict.kind === 'returned') return { kind: 'would-be-returned', reason: verdict.reason }
  return book.hasRoom(tenant.id, notice.currency, notice.amount) ? undefined : { kind: 'too-much' }
}

function applyAgain(state: BatchState, known: Deposit, command: NoticeCommand): ReceiveOutcome {
  const { tenant, notice, adopted, trace = null } = command
  // Another account may have this number now, so the notice is compared with the account that received the known
  // deposit.
  const isItsAccount = known.accountNumber === notice.accountNumber && state.accounts.find(known) !== undefined
  const same = known.amount === notice.amount && isItsAccount
  const outcome: ReceiveOutcome = same
    ? applyStatus(state, known, { tenant, status: notice.status, byPerson: adopted !== undefined, trace })
    : { kind: 'contradicted', deposit: known }
  if (outcome.kind === 'contradicted' && adopted === undefined) {
    const { accountNumber, amount, currency, status } = known
    const before = same ? `it ended ${status}` : `it was ${amount} ${unitOf(currency)} to ${accountNumber}`
    raiseContradiction(state, command, before, known)
  }
  return outcome
}

/** The deposit keeps what was reported first. Operators review each new report that contradicts it. */
function raiseContradiction({ ctx, tx }: BatchState, command: NoticeCommand, before: string, known?: Deposit): void {
  const { tenant, notice } = command
  const { status, amount, currency, accountNumber, provider } = notice
  raiseReviewItem(ctx, tx, {
    kind: 'notice-contradicted',
    environment: tenant.environment,
    subject: subjectOf(command),
    fact: `${provider} says ${status}, ${amount} ${unitOf(currency)} to ${accountNumber}; before, ${before}`,
    tenant,
    reference: known === undefined ? '' : depositReference(known.id),
    currency,
    amount,
  })
}

/** Stores the notice, so that an operator can adopt it when it fits the ledger's limit. */
function storeForRoom({ ctx, tx }: BatchState, command: NoticeCommand, { id }: Deposit): void {
  const { tenant, notice } = command
  const { currency, amount } = notice
  storeNotice(tx, tenant.environment, notice, new Date(ctx.clock.now()))
  raiseReviewItem(ctx, tx, {
    kind: 'deposit-without-room',
    environment: tenant.environment,
    subject: subjectOf(command),
    fact: 'the books of the business have no room for it, so it stays PENDING',
    tenant,
    reference: depositReference(id),
    currency,
    amount,
  })
}

function record(state: BatchState, command: NoticeCommand): ReceiveOutcome {
  const { tenant, notice, simulated, trace = null } = command
  const { book, ctx } = state
  const paid = state.accounts.find(paidKeyOf(tenant, notice))
  if (paid === undefined) return { kind: 'not-found' }
  const fits = notice.status === 'FAILED' || book.hasRoom(tenant.id, notice.currency, notice.amount)
  if (!fits && simulated === true) return { kind: 'too-much' }
  const nowMs = ctx.clock.now()
  const position = state.positions.next(book, tenant.id, nowMs)
  // A simulated deposit is not polled, because a tester decides its status.
  const dueAt = notice.status === 'PENDING' && simulated === undefined ? new Date(nowMs + pollEveryMs) : null
  const terms = { tenant, notice, account: paid.account, at: position.createdAt, held: !fits, dueAt }
  const pending = newDeposit(state, terms)
  state.ids.set(noticeText(pending), pending.id)
  state.added.set(pending.id, position)
  const waits = notice.status === 'PENDING' || !fits
  if (waits) book.addIncoming(tenant.id, notice.currency, notice.amount)
  const end =
    notice.status === 'FAILED'
      ? failed
      : (one: Deposit, at: Date) => accept(state, one, { at, trace, environment: tenant.environment })
  const deposit = waits ? pending : end(pending, position.createdAt)
  state.deposits.set(deposit.id, deposit)
  return { kind: fits ? 'recorded' : 'waits-for-room', deposit }
}

export function paidKeyOf({ id: tenantId }: Tenant, { accountNumber, occurredAtMs }: OwnedNotice): PaidKey {
  return { tenantId, accountNumber, paidAt: new Date(occurredAtMs) }
}

type NewDepositTerms = {
  tenant: Tenant
  notice: OwnedNotice
  account: VirtualAccount
  at: Date
  held: boolean
  dueAt: Date | null
}

function newDeposit(
  { ctx, tx, fees }: BatchState,
  { tenant, notice, account, at, held, dueAt }: NewDepositTerms,
): Deposit {
  return {
    lane: tx.lane,
    tenantId: tenant.id,
    id: newUuid(at.getTime()),
    status: 'PENDING',
    currency: notice.currency,
    amount: notice.amount,
    fee: depositFeeOf(fees, notice.amount, notice.currency),
    provider: notice.provider,
    providerId: notice.providerId,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    bankName: account.bankName,
    customerReference: account.customer?.reference ?? null,
    senderAccountName: notice.senderAccountName,
    senderAccountNumber: notice.senderAccountNumber,
    senderBankName: notice.senderBankName,
    narration: notice.narration,
    returnReason: null,
    held,
    dueAt,
    // No payment is dated in the future or before its account was opened, whatever the provider's clock says.
    paidAt: new Date(Math.max(Math.min(notice.occurredAtMs, ctx.clock.now()), account.openedAt.getTime())),
    createdAt: at,
    updatedAt: at,
  }
}

/** Providers report the outcome by themselves within minutes, so polling is rare. */
const pollEveryMs = hourMs
const pendingMsMax = dayMs

/** After a day, the deposit is raised for review, and if its provider cannot be asked, polling stops. */
export function schedulePoll(state: BatchState, { tenant, deposit: name, canBeAsked }: PollCommand): ReceiveOutcome {
  const known = state.deposits.get(name.id)
  if (known === undefined || known.tenantId !== tenant.id) return { kind: 'not-found' }
  const { ctx, tx } = state
  const nowMs = ctx.clock.now()
  // After the query found the deposit due, another process polled it, or the deposit ended.
  if (known.dueAt === null || known.dueAt.getTime() > nowMs) return { kind: 'unchanged', deposit: known }
  const isOld = nowMs - known.createdAt.getTime() >= pendingMsMax
  const deposit: Deposit = { ...known, dueAt: isOld && !canBeAsked ? null : new Date(nowMs + pollEveryMs) }
  state.deposits.set(deposit.id, deposit)
  state.changed.add(deposit.id)
  if (isOld) {
    raiseReviewItem(ctx, tx, {
      kind: 'deposit-unsettled',
      environment: tenant.environment,
      subject: noticeSubject(tenant.environment, deposit),
      fact: `${deposit.provider} has called it PENDING for a day`,
      tenant,
      reference: depositReference(deposit.id),
      currency: deposit.currency,
      amount: deposit.amount,
    })
  }
  return { kind: canBeAsked ? 'ask' : 'unchanged', deposit }
}

/** What the transaction of one batch has read and decided so far. */
export type BatchState = {
  ctx: Context
  fees: DepositFees
  events: EventOutbox
  tx: Tx
  book: Book
  accounts: PaidAccounts
  positions: Positions
  deposits: Map<Uuid, Deposit>
  /** Deposit id by notice (`noticeText`). */
  ids: Map<string, Uuid>
  /**
   * The tenant that has claimed each notice. Notices that already had a deposit of the reporting tenant are left out.
   */
  owners: NoticeOwners
  /** Subjects (`noticeSubject`) of the stored notices that await review. */
  stored: ReadonlySet<string>
  /** Positions of new deposits in their tenants' lists. */
  added: Map<Uuid, Position>
  changed: Set<Uuid>
  completed: VirtualAccount[]
  returned: Deposit[]
}

/** `at`: when the service learned that the money is there. */
type Acceptance = { at: Date; trace: string | null; environment: Environment }

/** Posts the money of a deposit that its account takes; marks any other for return. */
function accept(state: BatchState, pending: Deposit, { at, trace, environment }: Acceptance): Deposit {
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

/**
 * Money that must go back is booked as unowned until it has gone back. While a notice was only stored, reconciliation
 * may have booked its money as unowned. It might not read the provider's line for this money again, so this function
 * books the money as owned. Each kind is booked once, even if the function runs again.
 */
function bookAtRail(
  { ctx, tx, stored }: BatchState,
  { provider: rail, providerId: subject, currency, amount, lane }: Deposit,
  { environment, isOwned }: { environment: Environment; isOwned: boolean },
): void {
  if (!holdsMoney(rail)) return
  const at = new Date(ctx.clock.now())
  const cause = { environment, rail, currency, country: null, subject, reference: subject, lane, at }
  bookFloat(tx, isOwned ? 'deposit' : 'unowned', cause, amount)
  if (!isOwned || !stored.has(noticeSubject(environment, { provider: rail, providerId: subject }))) return
  // Reconciliation books these two kinds without a lane, because the money had no tenant, so they have none here
  // either.
  for (const kind of ['unowned', 'owned'] as const) bookFloat(tx, kind, { ...cause, lane: 0 }, amount)
}

function failed(pending: Deposit, at: Date): Deposit {
  return { ...pending, ...ended, status: 'FAILED', updatedAt: at }
}

const ended = { held: false, dueAt: null }
