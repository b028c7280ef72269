// Settling payments, many at once: what was learned of them becomes a status, movements and an event, in one commit. All
// that can change a payment after its acceptance is this one operation, and a process has it once: two in one transaction
// would each decide without seeing what the other has just decided, and money would move twice.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { findOperator } from '#directory/operators.ts'
import type { EventPipe } from '#events/pipe.ts'
import type { Inflows } from '#deposits/from-collection.ts'
import { withTenants } from '#ledger/lock.ts'
import { bookOf, type Book } from '#ledger/post.ts'
import { moveOf, saysNothingNew } from './move.ts'
import { isFinal, type MomoCollection, type Payment, type Result } from './payment.ts'
import { changePayments, type Change } from './sql-change.ts'
import { lockPayments } from './sql.ts'
import { paymentData, publicIdOf } from './wire.ts'

export type SettleCommand = { tenantId: Uuid; reference: string; result: Result }

export type SettleOutcome =
  | { kind: 'settled'; payment: Payment }
  /** It had ended that way before: hearing it twice is harmless. */
  | { kind: 'unchanged'; payment: Payment }
  /** It can no longer end so. When a rail says it, a person must look. */
  | { kind: 'impossible'; payment: Payment }
  | { kind: 'not-found' }

export type Settling = Operation<SettleCommand, SettleOutcome>

export function settleOperation(ctx: Context, events: EventPipe, inflows: Inflows): Settling {
  return {
    name: 'payments.settle',
    patient: true,
    async run(tx, commands) {
      const state = await openBatchState({ ctx, events, inflows }, tx, commands)
      const outcomes = commands.map((command) => settle(state, command))
      if (state.changes.size > 0) changePayments(tx, [...state.changes.values()])
      return outcomes
    },
  }
}

type Means = { ctx: Context; events: EventPipe; inflows: Inflows }

/** What one transaction knows of the payments it settles, as its decisions so far leave them. */
type BatchState = Means & { tx: Tx; book: Book; payments: Map<string, Payment>; changes: Map<string, Change> }

async function openBatchState(means: Means, tx: Tx, commands: SettleCommand[]): Promise<BatchState> {
  // Every move of a payment happens under its tenant's lock, so what is read after it is how things are. The rows are
  // locked as well, because the loop claims them without that lock.
  const found = await withTenants(
    tx,
    commands.map(({ tenantId }) => tenantId),
    (tenantIds) => {
      means.events.expect(tx, tenantIds)
      return lockPayments(tx, commands)
    },
  )
  const collecting = found.filter(({ kind, status }) => kind === 'momo_collection' && !isFinal(status))
  // A round trip of its own, but only for batches with collections.
  if (collecting.length > 0 && commands.some(({ result }) => result.kind === 'succeeded'))
    await means.inflows.expect(tx, new Set(collecting.map(({ tenantId }) => tenantId)))
  const payments = new Map(found.map((payment) => [keyText(payment), payment]))
  return { ...means, tx, book: bookOf(tx), payments, changes: new Map() }
}

function settle(state: BatchState, command: SettleCommand): SettleOutcome {
  const { ctx, events, inflows, tx, book, payments, changes } = state
  const key = keyText(command)
  const payment = payments.get(key)
  if (payment === undefined) return { kind: 'not-found' }
  const { tenantId, reference, currency } = payment
  // What moves only reserved money, or none, does not date the statement, so its own last move counts too.
  const earliestMs = Math.max(book.timeMs(tenantId, currency, ctx.clock.now()), payment.updatedAt.getTime())
  const move = moveOf(payment, command.result, new Date(earliestMs))
  if (move === undefined) return { kind: saysNothingNew(payment, command.result) ? 'unchanged' : 'impossible', payment }
  const after = move.isInflow === true ? collected(inflows, tx, move.payment as MomoCollection) : move.payment
  const atMs = after.updatedAt.getTime()
  book.post(tenantId, currency, { id: payment.id, reference, atMs }, move.postings)
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

/** The money is in: it becomes a deposit, at the same time as the collection succeeds. */
function collected(inflows: Inflows, tx: Tx, collection: MomoCollection): MomoCollection {
  const { phoneNumber, operator, customerName, narration, tenantId, currency, amount, fee } = collection
  const recorded = inflows.record(tx, {
    tenantId,
    currency,
    amount,
    fee,
    provider: 'momo',
    providerId: publicIdOf(collection),
    senderAccountName: customerName ?? phoneNumber,
    senderAccountNumber: phoneNumber,
    senderBankName: findOperator(operator)?.name ?? operator,
    narration: narration ?? '',
    atMs: collection.updatedAt.getTime(),
  })
  const at = new Date(recorded.atMs)
  return {
    ...collection,
    depositId: recorded.id,
    depositReference: recorded.reference,
    updatedAt: at,
    completedAt: at,
  }
}

function keyText({ tenantId, reference }: { tenantId: Uuid; reference: string }): string {
  return `${tenantId} ${reference}`
}
