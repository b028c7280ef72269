// A word about a deposit that is known: it ends, or it has ended already, or it must wait for a person.

import type { Tenant } from '#base/context.ts'
import { negate, zero } from '#base/money.ts'
import { noticeSubject } from '#exceptions/exception.ts'
import { settleExceptions } from '#exceptions/raise.ts'
import { accept, failed, type BatchState } from './accept.ts'
import type { ReceiveOutcome, SettleCommand } from './command.ts'
import { meaningOf, type Deposit, type DepositStatus } from './deposit.ts'

/** `byPerson`: who may also credit what the books had no room for. */
type Word = { tenant: Tenant; status: DepositStatus; byPerson: boolean; trace: string | null }

export function settle(state: BatchState, known: Deposit, { tenant, status, byPerson, trace }: Word): ReceiveOutcome {
  const meaning = meaningOf(known, status)
  if (meaning === 'nothing new') return { kind: 'unchanged', deposit: known }
  if (meaning === 'contradiction') return { kind: 'contradicted', deposit: known }
  const { book, ctx, tx } = state
  const { tenantId, currency, amount } = known
  // It is under way itself, so that the books have room for it unless they had none when it came.
  const fits = status === 'FAILED' || book.hasRoom(tenantId, currency, zero)
  if (!fits && byPerson) return { kind: 'too-much' }
  if (!fits || (status === 'SUCCESSFUL' && known.held && !byPerson)) return hold(state, known)
  book.addIncoming(tenantId, currency, negate(amount))
  const nowMs = Math.max(ctx.clock.now(), known.createdAt.getTime())
  const at = new Date(book.timeMs(tenantId, currency, nowMs))
  const deposit =
    status === 'FAILED' ? failed(known, at) : accept(state, known, { at, trace, environment: tenant.environment })
  state.deposits.set(deposit.id, deposit)
  state.changed.add(deposit.id)
  const about = { subject: noticeSubject(tenant.environment, deposit), note: `the deposit became ${deposit.status}` }
  settleExceptions(ctx, tx, [
    { kind: 'deposit-without-room', ...about },
    { kind: 'deposit-unsettled', ...about },
  ])
  return { kind: 'settled', deposit }
}

/** The money is there, and a person must look before it may be spent. */
function hold(state: BatchState, known: Deposit): ReceiveOutcome {
  const deposit: Deposit = { ...known, held: true, dueAt: null }
  if (!known.held) {
    state.deposits.set(deposit.id, deposit)
    state.changed.add(deposit.id)
  }
  return { kind: 'waits-for-room', deposit }
}

/** A tester's word about money that a tester made up. */
export function settleKnown(
  state: BatchState,
  { deposit, status, tenant, trace = null }: SettleCommand,
): ReceiveOutcome {
  const known = state.deposits.get(deposit.id)
  if (known === undefined || known.tenantId !== tenant.id) return { kind: 'not-found' }
  return settle(state, known, { tenant, status, byPerson: true, trace })
}
