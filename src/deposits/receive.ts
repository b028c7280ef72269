// Recording and settling deposits, many at once: what a provider says becomes a row, a verdict, movements and an event,
// in one commit. Both are one operation of the lane: two in one transaction would each decide without seeing what the
// other has just accepted, and an account that waits for one payment could be paid twice.

import type { Context, Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import type { Kobo } from '#base/money.ts'
import { accountText, completePaidAccounts, lockPaidAccounts } from '#customers/paid.ts'
import type { EventPipe } from '#events/pipe.ts'
import { withTenants } from '#ledger/lock.ts'
import { bookOf } from '#ledger/post.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { depositFeeOf, meaningOf, type Deposit, type DepositFees, type DepositStatus } from './deposit.ts'
import { accept, refusedBy, type BatchState } from './accept.ts'
import { positionsOf } from './positions.ts'
import { depositList } from './sql-lists.ts'
import { findDeposits, findDepositsOfNotices, insertDeposits, settleDeposits } from './sql.ts'

export type NoticeCommand = {
  kind: 'notice'
  tenant: Tenant
  notice: DepositNotice
  /** Refuses to credit beyond it; for money that is made up. */
  balanceMax?: Kobo | undefined
}

export type SettleCommand = {
  kind: 'settle'
  tenant: Tenant
  deposit: { id: Uuid; accountNumber: string }
  status: DepositStatus
  balanceMax?: Kobo | undefined
}

export type ReceiveCommand = NoticeCommand | SettleCommand

export type ReceiveOutcome =
  | { kind: 'recorded'; deposit: Deposit }
  | { kind: 'settled'; deposit: Deposit }
  /** It was known: hearing it twice is harmless. */
  | { kind: 'unchanged'; deposit: Deposit }
  /** It ended in another way, or is about another amount or account. When a provider says it, a person must look. */
  | { kind: 'contradicted'; deposit: Deposit }
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

function record(state: BatchState, fees: DepositFees, command: NoticeCommand): ReceiveOutcome {
  const { tenant, notice } = command
  const key = noticeText({ ...notice, tenantId: tenant.id })
  const known = state.deposits.get(state.ids.get(key) ?? ('' as Uuid))
  if (known !== undefined) {
    const same = known.amount === notice.amount && known.accountNumber === notice.accountNumber
    return same ? settle(state, known, notice.status, command.balanceMax) : { kind: 'contradicted', deposit: known }
  }
  const paid = state.accounts.get(accountText({ tenantId: tenant.id, accountNumber: notice.accountNumber }))
  if (paid === undefined) return { kind: 'not-found' }
  const { account } = paid
  if (notice.status === 'SUCCESSFUL' && refusedBy(state, tenant.id, notice, command.balanceMax))
    return { kind: 'too-much' }
  const position = state.positions.next(state.book, tenant.id, notice.currency, state.ctx.clock.now())
  const pending: Deposit = {
    lane: state.tx.lane,
    tenantId: tenant.id,
    id: newUuid(position.createdAt.getTime()),
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
    paidAt: new Date(Math.min(notice.occurredAtMs, state.ctx.clock.now())),
    createdAt: position.createdAt,
    updatedAt: position.createdAt,
  }
  state.ids.set(key, pending.id)
  state.added.set(pending.id, position)
  const deposit = notice.status === 'PENDING' ? pending : end(state, pending, notice.status, position.createdAt)
  state.deposits.set(deposit.id, deposit)
  return { kind: 'recorded', deposit }
}

function settleKnown(state: BatchState, { deposit, status, balanceMax, tenant }: SettleCommand): ReceiveOutcome {
  const known = state.deposits.get(deposit.id)
  return known === undefined || known.tenantId !== tenant.id
    ? { kind: 'not-found' }
    : settle(state, known, status, balanceMax)
}

function settle(state: BatchState, known: Deposit, word: DepositStatus, balanceMax: Kobo | undefined): ReceiveOutcome {
  const meaning = meaningOf(known, word)
  if (meaning === 'nothing new') return { kind: 'unchanged', deposit: known }
  if (meaning === 'contradiction') return { kind: 'contradicted', deposit: known }
  if (word === 'SUCCESSFUL' && refusedBy(state, known.tenantId, known, balanceMax)) return { kind: 'too-much' }
  const nowMs = Math.max(state.ctx.clock.now(), known.createdAt.getTime())
  const at = new Date(state.book.timeMs(known.tenantId, known.currency, nowMs))
  const deposit = end(state, known, word, at)
  state.deposits.set(deposit.id, deposit)
  state.moved.add(deposit.id)
  return { kind: 'settled', deposit }
}

function end(state: BatchState, pending: Deposit, word: DepositStatus, at: Date): Deposit {
  return word === 'FAILED' ? { ...pending, status: 'FAILED', updatedAt: at } : accept(state, pending, at)
}
