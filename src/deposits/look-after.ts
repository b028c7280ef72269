// A deposit that stays PENDING is not forgotten: its provider is asked now and then, and when that has not ended it within a
// day, or nobody can be asked, it waits for a person.

import { dayMs, hourMs } from '#base/durations.ts'
import { noticeSubject } from '#exceptions/exception.ts'
import { raise } from '#exceptions/raise.ts'
import type { BatchState } from './accept.ts'
import type { LookCommand, ReceiveOutcome } from './command.ts'
import { depositReference, type Deposit } from './deposit.ts'

/** Providers tell by themselves what becomes of money, within minutes. */
export const lookEveryMs = hourMs
/** As long as a payment without an outcome. */
export const pendingMsMax = dayMs

export function lookAfter(state: BatchState, { tenant, deposit: name, canBeAsked }: LookCommand): ReceiveOutcome {
  const known = state.deposits.get(name.id)
  if (known === undefined || known.tenantId !== tenant.id) return { kind: 'not-found' }
  const { ctx, tx } = state
  const nowMs = ctx.clock.now()
  // Another process has looked after it, or it has ended, since it was found to be due.
  if (known.dueAt === null || known.dueAt.getTime() > nowMs) return { kind: 'unchanged', deposit: known }
  const isOld = nowMs - known.createdAt.getTime() >= pendingMsMax
  const deposit: Deposit = { ...known, dueAt: isOld && !canBeAsked ? null : new Date(nowMs + lookEveryMs) }
  state.deposits.set(deposit.id, deposit)
  state.changed.add(deposit.id)
  if (isOld) {
    raise(ctx, tx, {
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
