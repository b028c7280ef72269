// Settling payments, many at once: what was learned of them becomes a status, movements and an event, in one commit. This one
// operation alone changes what a payment is after its acceptance, and a process has it once: two in one transaction would
// each decide without seeing what the other has just decided, and money would move twice.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { negate } from '#base/money.ts'
import type { Inflows } from '#deposits/from-collection.ts'
import type { EventPipe } from '#events/pipe.ts'
import { withTenants } from '#ledger/lock.ts'
import { bookOf, type Book } from '#ledger/post.ts'
import { kinds } from './kinds.ts'
import { allowancesOf, type Allowances } from './limits.ts'
import { moveOf, saysNothingNew } from './move.ts'
import { isFinal, totalDebit, type MomoCollection, type Payment, type Result } from './payment.ts'
import { expectInflows, recordInflow } from './settle-collection.ts'
import { changePayments, type Change } from './sql-change.ts'
import { lockPayments } from './sql.ts'
import { paymentData, publicIdOf } from './wire.ts'

export type SettleCommand = { tenantId: Uuid; reference: string; result: Result }

export type SettleOutcome =
  | { kind: 'settled'; payment: Payment }
  /** The payment had ended that way before: hearing it twice is harmless. */
  | { kind: 'unchanged'; payment: Payment }
  /** The payment can no longer end so. When a rail says it, a person must look. */
  | { kind: 'impossible'; payment: Payment }
  /** The rail returned its money, and the books have no room for it now. It is asked about again later. */
  | { kind: 'no-room'; payment: Payment }
  | { kind: 'not-found' }

/** Until a returned payment that found no room in the books is asked about again. */
const roomAskMs = 3_600_000

export type Settling = Operation<SettleCommand, SettleOutcome>

export function settleOperation(ctx: Context, events: EventPipe, inflows: Inflows): Settling {
  return {
    name: 'payments.settle',
    async run(tx, commands) {
      const state = await openBatchState({ ctx, events, inflows }, tx, commands)
      const outcomes = commands.map((command) => settle(state, command))
      if (state.changes.size > 0) changePayments(tx, [...state.changes.values()])
      return outcomes
    },
  }
}

type Writers = { ctx: Context; events: EventPipe; inflows: Inflows }

/** What one transaction knows of the payments it settles, as its decisions so far leave them. */
type BatchState = Writers & {
  tx: Tx
  book: Book
  allowances: Allowances
  payments: Map<string, Payment>
  changes: Map<string, Change>
}

async function openBatchState(writers: Writers, tx: Tx, commands: SettleCommand[]): Promise<BatchState> {
  // Every move of a payment happens under its tenant's lock, so what is read after it is how things are. The rows are
  // locked as well, because the loop claims them without that lock.
  const allowances = allowancesOf(tx)
  const found = await withTenants(
    tx,
    commands.map(({ tenantId }) => tenantId),
    (tenantIds) => {
      writers.events.expect(tx, tenantIds)
      return lockPayments(tx, commands)
    },
  )
  await allowances.read(commands.flatMap(({ tenantId, result }) => (result.kind === 'failed' ? [tenantId] : [])))
  // A round trip of its own, but only for batches with collections.
  if (commands.some(({ result }) => result.kind === 'succeeded')) await expectInflows(writers.inflows, tx, found)
  const payments = new Map(found.map((payment) => [keyText(payment), payment]))
  return { ...writers, tx, book: bookOf(tx), allowances, payments, changes: new Map() }
}

function settle(state: BatchState, command: SettleCommand): SettleOutcome {
  const { ctx, events, inflows, tx, book, allowances, payments, changes } = state
  const key = keyText(command)
  const payment = payments.get(key)
  if (payment === undefined) return { kind: 'not-found' }
  const { tenantId, reference, currency } = payment
  // A move of reserved money alone, or of none, does not date the statement, so the payment's own last move counts too.
  const nowMs = ctx.clock.now()
  const earliestMs = Math.max(book.timeMs(tenantId, currency, nowMs), payment.updatedAt.getTime())
  const move = moveOf(payment, command.result, { at: new Date(earliestMs), nowMs })
  if (move === undefined) return { kind: saysNothingNew(payment, command.result) ? 'unchanged' : 'impossible', payment }
  if (command.result.kind === 'reversed' && !book.hasRoom(tenantId, currency, totalDebit(payment))) {
    changes.set(key, { payment, dueAt: new Date(ctx.clock.now() + roomAskMs) })
    ctx.log.error(
      { payment: publicIdOf(payment) },
      'the books have no room for a returned payment; asked again in an hour',
    )
    return { kind: 'no-room', payment }
  }
  const after = move.isInflow === true ? recordInflow(inflows, tx, move.payment as MomoCollection) : move.payment
  const atMs = after.updatedAt.getTime()
  if (payment.kind === 'momo_collection' && !isFinal(payment.status) && isFinal(after.status))
    book.addIncoming(tenantId, currency, negate(payment.amount))
  book.post(tenantId, currency, { id: payment.id, reference, atMs }, move.postings)
  if (after.status === 'FAILED' && kinds[payment.kind].direction === 'out')
    allowances.giveBack(tenantId, payment.amount, payment.createdAt)
  if (move.event !== undefined) {
    events.emit(tx, {
      tenantId,
      name: move.event,
      sourceId: payment.id,
      reference,
      data: paymentData(after),
      atMs,
    })
  }
  payments.set(key, after)
  // One payment may move several times in a batch (succeed, be reversed); the last move is what it is.
  const dueAt = move.dueAt === undefined ? changes.get(key)?.dueAt : move.dueAt
  changes.set(key, { payment: after, dueAt })
  return { kind: 'settled', payment: after }
}

function keyText({ tenantId, reference }: { tenantId: Uuid; reference: string }): string {
  return `${tenantId} ${reference}`
}
