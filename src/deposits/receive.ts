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
import { bookOf } from '#ledger/post.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { depositFeeOf, meaningOf, type Deposit, type DepositFees, type DepositStatus } from './deposit.ts'
import { accept, refusedBy, type Desk } from './accept.ts'
import { placesOf } from './places.ts'
import { findDeposits, findDepositsOfNotices, insertDeposits, lastDeposits, settleDeposits } from './sql.ts'

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

export function receiveOperation({ ctx, fees, events }: ReceiveOptions): Operation<ReceiveCommand, ReceiveOutcome> {
  return {
    name: 'deposits.receive',
    async run(tx, commands) {
      const desk = await openDesk(ctx, events, tx, commands)
      const outcomes = commands.map((command) =>
        command.kind === 'notice' ? record(desk, fees, command) : settleKnown(desk, command),
      )
      const inserted = [...desk.places].flatMap(([id, place]) => {
        const deposit = desk.deposits.get(id)
        return deposit === undefined ? [] : [{ ...deposit, ordinal: place.ordinal }]
      })
      if (inserted.length > 0) insertDeposits(tx, desk.lane, inserted)
      const moved = [...desk.moved].filter((id) => !desk.places.has(id)).flatMap((id) => desk.deposits.get(id) ?? [])
      if (moved.length > 0) settleDeposits(tx, desk.lane, moved)
      if (desk.completed.length > 0) completePaidAccounts(tx, desk.lane, desk.completed)
      return outcomes
    },
  }
}

/** Everything that the decisions need, in one round trip after the locks. */
async function openDesk(ctx: Context, events: EventPipe, tx: Tx, commands: ReceiveCommand[]): Promise<Desk> {
  const lane = commands[0]?.tenant.lane ?? 0
  const tenantIds = [...new Set(commands.map(({ tenant }) => tenant.id))]
  const book = bookOf(tx, lane)
  const locks = book.lock(tenantIds)
  // Every deposit is recorded and settled under its tenant's lock, so what is read after it is how things are.
  await locks.sent
  events.expect(tx, lane, tenantIds)
  const notices = commands.filter((command) => command.kind === 'notice')
  const settlements = commands.filter((command) => command.kind === 'settle')
  const accountKeys = [
    ...notices.map(({ tenant, notice }) => ({ tenantId: tenant.id, accountNumber: notice.accountNumber })),
    ...settlements.map(({ tenant, deposit }) => ({ tenantId: tenant.id, accountNumber: deposit.accountNumber })),
  ]
  const noticeKeys = notices.map(({ tenant, notice: { provider, providerId } }) => ({
    tenantId: tenant.id,
    provider,
    providerId,
  }))
  const idKeys = settlements.map(({ tenant, deposit }) => ({ tenantId: tenant.id, id: deposit.id }))
  const [heardOf, asked, read, accounts] = await Promise.all([
    notices.length === 0 ? [] : findDepositsOfNotices(tx, lane, noticeKeys),
    settlements.length === 0 ? [] : findDeposits(tx, lane, idKeys),
    lastDeposits(tx, lane, tenantIds),
    lockPaidAccounts(tx, lane, accountKeys),
    locks.done,
  ])
  const last = placesOf(tx)
  last.add(read)
  const known = [...heardOf, ...asked]
  return {
    ctx,
    events,
    tx,
    lane,
    book,
    accounts,
    last,
    deposits: new Map(known.map((deposit) => [deposit.id, deposit])),
    ids: new Map(known.map((deposit) => [noticeText(deposit), deposit.id])),
    places: new Map(),
    moved: new Set(),
    completed: [],
  }
}

function noticeText({ tenantId, provider, providerId }: Pick<Deposit, 'tenantId' | 'provider' | 'providerId'>): string {
  return `${tenantId} ${provider} ${providerId}`
}

function record(desk: Desk, fees: DepositFees, command: NoticeCommand): ReceiveOutcome {
  const { tenant, notice } = command
  const key = noticeText({ ...notice, tenantId: tenant.id })
  const known = desk.deposits.get(desk.ids.get(key) ?? ('' as Uuid))
  if (known !== undefined) {
    const same = known.amount === notice.amount && known.accountNumber === notice.accountNumber
    return same ? settle(desk, known, notice.status, command.balanceMax) : { kind: 'contradicted', deposit: known }
  }
  const paid = desk.accounts.get(accountText({ tenantId: tenant.id, accountNumber: notice.accountNumber }))
  if (paid === undefined) return { kind: 'not-found' }
  const { account } = paid
  if (notice.status === 'SUCCESSFUL' && refusedBy(desk, tenant.id, notice, command.balanceMax))
    return { kind: 'too-much' }
  const place = desk.last.next(desk.book, tenant.id, notice.currency, desk.ctx.clock.now())
  const pending: Deposit = {
    lane: desk.lane,
    tenantId: tenant.id,
    id: newUuid(place.createdAt.getTime()),
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
    paidAt: new Date(Math.min(notice.occurredAtMs, desk.ctx.clock.now())),
    createdAt: place.createdAt,
    updatedAt: place.createdAt,
  }
  desk.ids.set(key, pending.id)
  desk.places.set(pending.id, place)
  const deposit = notice.status === 'PENDING' ? pending : end(desk, pending, notice.status, place.createdAt)
  desk.deposits.set(deposit.id, deposit)
  return { kind: 'recorded', deposit }
}

function settleKnown(desk: Desk, { deposit, status, balanceMax, tenant }: SettleCommand): ReceiveOutcome {
  const known = desk.deposits.get(deposit.id)
  return known === undefined || known.tenantId !== tenant.id
    ? { kind: 'not-found' }
    : settle(desk, known, status, balanceMax)
}

function settle(desk: Desk, known: Deposit, word: DepositStatus, balanceMax: Kobo | undefined): ReceiveOutcome {
  const meaning = meaningOf(known, word)
  if (meaning === 'nothing new') return { kind: 'unchanged', deposit: known }
  if (meaning === 'contradiction') return { kind: 'contradicted', deposit: known }
  if (word === 'SUCCESSFUL' && refusedBy(desk, known.tenantId, known, balanceMax)) return { kind: 'too-much' }
  const nowMs = Math.max(desk.ctx.clock.now(), known.createdAt.getTime())
  const at = new Date(desk.book.timeMs(known.tenantId, known.currency, nowMs))
  const deposit = end(desk, known, word, at)
  desk.deposits.set(deposit.id, deposit)
  desk.moved.add(deposit.id)
  return { kind: 'settled', deposit }
}

function end(desk: Desk, pending: Deposit, word: DepositStatus, at: Date): Deposit {
  return word === 'FAILED' ? { ...pending, status: 'FAILED', updatedAt: at } : accept(desk, pending, at)
}
