// Settling payments, many at once: what a rail said becomes a status, movements and an event, in one commit.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import type { EventPipe } from '#events/pipe.ts'
import { bookOf } from '#ledger/post.ts'
import { moveOf, type Move, type Payment, type Result } from './payment.ts'
import { endPayments, lockPayments, type Ending } from './sql.ts'
import { transferData } from './wire.ts'

export type SettleCommand = { lane: number; tenantId: Uuid; reference: string; result: Result }

export type SettleOutcome =
  | { kind: 'settled'; payment: Payment }
  /** It had ended that way before: hearing it twice is harmless. */
  | { kind: 'unchanged'; payment: Payment }
  /** It can no longer end so. When a rail says it, a person must look. */
  | { kind: 'impossible'; payment: Payment }
  | { kind: 'not-found' }

export function settleOperation(ctx: Context, events: EventPipe): Operation<SettleCommand, SettleOutcome> {
  return { name: 'payments.settle', patient: true, run: (tx, commands) => settlePayments(ctx, events, tx, commands) }
}

async function settlePayments(
  ctx: Context,
  events: EventPipe,
  tx: Tx,
  commands: SettleCommand[],
): Promise<SettleOutcome[]> {
  const lane = commands[0]?.lane ?? 0
  const book = bookOf(tx, lane)
  const tenantIds = new Set(commands.map((command) => command.tenantId))
  const locks = book.lock(tenantIds)
  // Every move of a payment happens under its tenant's lock, so what is read after it is how things are. The rows are
  // locked as well, because the loop claims them without that lock.
  await locks.sent
  events.expect(tx, lane, tenantIds)
  const [found] = await Promise.all([lockPayments(tx, lane, commands), locks.done])
  const payments = new Map(found.map((payment) => [`${payment.tenantId} ${payment.reference}`, payment]))
  const endings: Ending[] = []

  function settle(command: SettleCommand): SettleOutcome {
    const key = `${command.tenantId} ${command.reference}`
    const payment = payments.get(key)
    if (payment === undefined) return { kind: 'not-found' }
    const move = moveOf(payment, command.result)
    if (move === undefined) return { kind: endedAs(payment, command.result) ? 'unchanged' : 'impossible', payment }
    // What moves only reserved money does not date the statement, so its own last move counts too.
    const atMs = Math.max(book.timeMs(payment.tenantId, payment.currency, ctx.clock.now()), payment.updatedAt.getTime())
    const ending = endingOf(payment, move, command.result, atMs)
    const after = endedPayment(payment, ending)
    const cause = { id: payment.id, reference: payment.reference, atMs }
    book.post(payment.tenantId, payment.currency, cause, move.postings)
    events.emit(tx, lane, {
      tenantId: payment.tenantId,
      name: move.event,
      sourceId: payment.id,
      reference: payment.reference,
      data: transferData(after),
      atMs,
    })
    payments.set(key, after)
    endings.push(ending)
    return { kind: 'settled', payment: after }
  }

  const outcomes = commands.map(settle)
  // One payment may move twice in a batch (succeed, be reversed); the last ending is what it is.
  const last = new Map(endings.map((ending) => [`${ending.payment.tenantId} ${ending.payment.reference}`, ending]))
  if (last.size > 0) endPayments(tx, lane, [...last.values()])
  return outcomes
}

function endedAs(payment: Payment, result: Result): boolean {
  if (result.kind === 'succeeded') return payment.status === 'SUCCESS' || payment.status === 'REVERSED'
  return result.kind === 'failed' ? payment.status === 'FAILED' : payment.status === 'REVERSED'
}

function endingOf(payment: Payment, move: Move, result: Result, atMs: number): Ending {
  const lookAgainMs = result.kind === 'succeeded' ? result.lookAgainMs : undefined
  return {
    payment,
    status: move.status,
    sessionId: result.kind === 'succeeded' ? result.sessionId : payment.sessionId,
    failureReason: result.kind === 'failed' ? result.reason : null,
    at: new Date(atMs),
    dueAt: lookAgainMs === undefined ? null : new Date(atMs + lookAgainMs),
  }
}

function endedPayment(payment: Payment, { status, sessionId, failureReason, at }: Ending): Payment {
  return { ...payment, status, sessionId, failureReason, updatedAt: at, completedAt: at }
}
