// Recording and settling deposits, many at once: what a provider says becomes a row, a verdict, movements and an event,
// in one commit. Both are one operation of the lane: two in one transaction would each decide without seeing what the
// other has just accepted, and an account that waits for one payment could be paid twice.

import type { Context, Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { negate, zero } from '#base/money.ts'
import type { VirtualAccount } from '#customers/account.ts'
import { accountText, completePaidAccounts, lockPaidAccounts } from '#customers/paid.ts'
import type { EventPipe } from '#events/pipe.ts'
import { withTenants } from '#ledger/lock.ts'
import { bookOf } from '#ledger/post.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { depositFeeOf, meaningOf, type Deposit, type DepositFees, type DepositStatus } from './deposit.ts'
import { accept, failed, type BatchState } from './accept.ts'
import { positionsOf } from './positions.ts'
import { depositList } from './sql-lists.ts'
import { findDeposits, findDepositsOfNotices, insertDeposits, settleDeposits } from './sql.ts'

export type NoticeCommand = {
  kind: 'notice'
  tenant: Tenant
  notice: DepositNotice
  /** It is made up, so it is refused where the books have no room for it. Real money is kept, and waits. */
  simulated?: true
}

export type SettleCommand = {
  kind: 'settle'
  tenant: Tenant
  deposit: { id: Uuid; accountNumber: string }
  status: DepositStatus
}

export type ReceiveCommand = NoticeCommand | SettleCommand

export type ReceiveOutcome =
  | { kind: 'recorded'; deposit: Deposit }
  | { kind: 'settled'; deposit: Deposit }
  /** It was known: hearing it twice is harmless. */
  | { kind: 'unchanged'; deposit: Deposit }
  /** It ended in another way, or is about another amount or account. When a provider says it, a person must look. */
  | { kind: 'contradicted'; deposit: Deposit }
  /** It came, and the books have no room for it: it stays PENDING until they have. A person must look. */
  | { kind: 'waits-for-room'; deposit: Deposit }
  | { kind: 'too-much' }
  | { kind: 'not-found' }

export type ReceiveOptions = { ctx: Context; fees: DepositFees; events: EventPipe }

export function receiveOperation(options: ReceiveOptions): Operation<ReceiveCommand, ReceiveOutcome> {
  return {
    name: 'deposits.receive',
    async run(tx, commands) {
      const state = await openBatchState(options, tx, commands)
      const outcomes = commands.map((command) =>
        command.kind === 'notice' ? record(state, options.fees, command) : settleKnown(state, command),
      )
      writeBatch(state)
      return outcomes
    },
  }
}

function writeBatch({ tx, deposits, added, moved, completed }: BatchState): void {
  const inserted = [...added].flatMap(([id, { ordinal }]) => {
    const deposit = deposits.get(id)
    return deposit === undefined ? [] : [{ ...deposit, ordinal }]
  })
  if (inserted.length > 0) insertDeposits(tx, inserted)
  const settled = [...moved].filter((id) => !added.has(id)).flatMap((id) => deposits.get(id) ?? [])
  if (settled.length > 0) settleDeposits(tx, settled)
  if (completed.length > 0) completePaidAccounts(tx, completed)
}

/** Everything that the decisions need, in one round trip after the locks. */
async function openBatchState(
  { ctx, events }: ReceiveOptions,
  tx: Tx,
  commands: ReceiveCommand[],
): Promise<BatchState> {
  const notices = commands.filter((command) => command.kind === 'notice')
  const settlements = commands.filter((command) => command.kind === 'settle')
  const noticeKeys = notices.map(({ tenant, notice }) => ({ ...notice, tenantId: tenant.id }))
  const settlementKeys = settlements.map(({ tenant, deposit }) => ({ ...deposit, tenantId: tenant.id }))
  const [heardOf, asked, last, accounts] = await withTenants(
    tx,
    commands.map(({ tenant }) => tenant.id),
    (tenantIds) => {
      events.expect(tx, tenantIds)
      return Promise.all([
        noticeKeys.length === 0 ? [] : findDepositsOfNotices(tx, noticeKeys),
        settlementKeys.length === 0 ? [] : findDeposits(tx, settlementKeys),
        depositList.lastOfTenants(tx, tenantIds),
        lockPaidAccounts(tx, [...noticeKeys, ...settlementKeys]),
      ])
    },
  )
  const positions = positionsOf(tx)
  positions.add(last)
  const known = [...heardOf, ...asked]
  return {
    ctx,
    events,
    tx,
    book: bookOf(tx),
    accounts,
    positions,
    deposits: new Map(known.map((deposit) => [deposit.id, deposit])),
    ids: new Map(known.map((deposit) => [noticeText(deposit), deposit.id])),
    added: new Map(),
    moved: new Set(),
    completed: [],
  }
}

function noticeText({ tenantId, provider, providerId }: Pick<Deposit, 'tenantId' | 'provider' | 'providerId'>): string {
  return `${tenantId} ${provider} ${providerId}`
}

function record(state: BatchState, fees: DepositFees, { tenant, notice, simulated }: NoticeCommand): ReceiveOutcome {
  const key = noticeText({ ...notice, tenantId: tenant.id })
  const known = state.deposits.get(state.ids.get(key) ?? ('' as Uuid))
  if (known !== undefined) {
    const same = known.amount === notice.amount && known.accountNumber === notice.accountNumber
    return same ? settle(state, known, notice.status) : { kind: 'contradicted', deposit: known }
  }
  const paid = state.accounts.get(accountText({ tenantId: tenant.id, accountNumber: notice.accountNumber }))
  if (paid === undefined) return { kind: 'not-found' }
  const { book } = state
  const fits = notice.status === 'FAILED' || book.hasRoom(tenant.id, notice.currency, notice.amount)
  if (!fits && simulated === true) return { kind: 'too-much' }
  const position = state.positions.next(book, tenant.id, notice.currency, state.ctx.clock.now())
  const pending = newDeposit(state, { fees, tenant, notice, account: paid.account, at: position.createdAt })
  state.ids.set(key, pending.id)
  state.added.set(pending.id, position)
  const waits = notice.status === 'PENDING' || !fits
  if (waits) book.addIncoming(tenant.id, notice.currency, notice.amount)
  const deposit = waits ? pending : end(state, pending, notice.status, position.createdAt)
  state.deposits.set(deposit.id, deposit)
  return { kind: fits ? 'recorded' : 'waits-for-room', deposit }
}

type Birth = { fees: DepositFees; tenant: Tenant; notice: DepositNotice; account: VirtualAccount; at: Date }

function newDeposit({ ctx, tx }: BatchState, { fees, tenant, notice, account, at }: Birth): Deposit {
  return {
    lane: tx.lane,
    tenantId: tenant.id,
    id: newUuid(at.getTime()),
    status: 'PENDING',
    currency: notice.currency,
    amount: notice.amount,
    fee: depositFeeOf(fees, notice.amount),
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
    // No payment is from the future, whatever its provider's clock says.
    paidAt: new Date(Math.min(notice.occurredAtMs, ctx.clock.now())),
    createdAt: at,
    updatedAt: at,
  }
}

function settleKnown(state: BatchState, { deposit, status, tenant }: SettleCommand): ReceiveOutcome {
  const known = state.deposits.get(deposit.id)
  return known === undefined || known.tenantId !== tenant.id ? { kind: 'not-found' } : settle(state, known, status)
}

function settle(state: BatchState, known: Deposit, word: DepositStatus): ReceiveOutcome {
  const meaning = meaningOf(known, word)
  if (meaning === 'nothing new') return { kind: 'unchanged', deposit: known }
  if (meaning === 'contradiction') return { kind: 'contradicted', deposit: known }
  const { book } = state
  const { tenantId, currency, amount } = known
  // It is under way itself, so that the books have room for it unless they had none when it came.
  if (word === 'SUCCESSFUL' && !book.hasRoom(tenantId, currency, zero))
    return { kind: 'waits-for-room', deposit: known }
  book.addIncoming(tenantId, currency, negate(amount))
  const nowMs = Math.max(state.ctx.clock.now(), known.createdAt.getTime())
  const deposit = end(state, known, word, new Date(book.timeMs(tenantId, currency, nowMs)))
  state.deposits.set(deposit.id, deposit)
  state.moved.add(deposit.id)
  return { kind: 'settled', deposit }
}

function end(state: BatchState, pending: Deposit, word: DepositStatus, at: Date): Deposit {
  return word === 'FAILED' ? failed(pending, at) : accept(state, pending, at)
}
