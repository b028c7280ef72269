// Accepting payments of every kind, many at once: was the reference used before, is the bank or operator known, is the
// money there, and then the promise: a row, a hold on the balance where money will go out, one commit. No payment is refused
// after this, and a refused one leaves no trace.

import type { Context, Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { add, type Kobo } from '#base/money.ts'
import { positionAfter } from '#base/ordinal.ts'
import { withTenants } from '#ledger/lock.ts'
import { acceptedPostings } from '#ledger/posting.ts'
import { bookOf } from '#ledger/post.ts'
import { differingField, kinds } from './kinds.ts'
import { bornOf, type Draft, type Payment } from './payment.ts'
import { insertPayments, type NewPayment } from './sql-insert.ts'
import { paymentList } from './sql-lists.ts'
import { findPayments } from './sql.ts'

export type AcceptCommand = {
  tenant: Tenant
  draft: Draft
  fee: Kobo
  /** Whether the directory has such a bank or operator; looked at only after the reference. */
  payeeIsKnown: boolean
  /** The rail that will carry it, by name, or the setting that would name one when this environment has none. */
  rail: { kind: 'served'; rail: string } | { kind: 'missing'; why: string }
  /** How long the accepting process keeps the payment to itself, to send it on; 0: any worker may take it at once. */
  keepMs: number
}

type SharedOutcome =
  | { kind: 'accepted'; payment: Payment }
  | { kind: 'replayed'; payment: Payment }
  | { kind: 'differs'; first: Payment; field: string }
  | { kind: 'other-kind'; first: Payment }
  | { kind: 'missing-rail'; why: string }

type UnknownOperator = { kind: 'unknown-operator' }
type InsufficientBalance = { kind: 'insufficient-balance'; required: Kobo; available: Kobo }

export type BankTransferOutcome = SharedOutcome | { kind: 'unknown-bank' } | InsufficientBalance
export type MomoTransferOutcome = SharedOutcome | UnknownOperator | InsufficientBalance
/** Beyond what JSON shows exactly, together with all that the books hold and that is under way. */
type TooMuch = { kind: 'too-much' }

export type MomoCollectionOutcome = SharedOutcome | UnknownOperator | TooMuch
export type AcceptOutcome = BankTransferOutcome | MomoTransferOutcome | MomoCollectionOutcome

export function acceptOperation(ctx: Context): Operation<AcceptCommand, AcceptOutcome> {
  return { name: 'payments.accept', run: (tx, commands) => acceptPayments(ctx, tx, commands) }
}

async function acceptPayments(ctx: Context, tx: Tx, commands: AcceptCommand[]): Promise<AcceptOutcome[]> {
  const keys = commands.map(({ tenant, draft }) => ({ tenantId: tenant.id, reference: draft.reference }))
  const asked = [...new Set(commands.map(({ draft }) => draft.kind))]
  const book = bookOf(tx)
  const [found, lists] = await withTenants(
    tx,
    keys.map(({ tenantId }) => tenantId),
    (tenantIds) =>
      Promise.all([
        findPayments(tx, keys),
        Promise.all(asked.map(async (kind) => [kind, await paymentList.lastOfTenants(tx, tenantIds, kind)] as const)),
      ]),
  )
  const positions = new Map(lists)
  const known = new Map(found.map((payment) => [keyText(payment.tenantId, payment.reference), payment]))
  const accepted: NewPayment[] = []

  function decide(command: AcceptCommand): AcceptOutcome {
    const { tenant, draft, fee, rail } = command
    const { direction, unknownPayee } = kinds[draft.kind]
    const first = known.get(keyText(tenant.id, draft.reference))
    if (first !== undefined) return compare(first, draft)
    if (!command.payeeIsKnown) return { kind: unknownPayee }
    if (rail.kind === 'missing') return { kind: 'missing-rail', why: rail.why }
    const required = add(draft.amount, fee)
    const available = book.available(tenant.id, draft.currency)
    if (direction === 'out' && available < required) return { kind: 'insufficient-balance', required, available }
    if (direction === 'in' && !book.hasRoom(tenant.id, draft.currency, draft.amount)) return { kind: 'too-much' }
    const nowMs = ctx.clock.now()
    // A collection holds no money and so does not date the books: the latest payment of its list counts too.
    const last = positions.get(draft.kind)
    const position = positionAfter(last?.get(tenant.id), book.timeMs(tenant.id, draft.currency, nowMs))
    last?.set(tenant.id, position)
    const atMs = position.createdAt.getTime()
    const payment = newPayment(command, rail.rail, position.createdAt, nowMs)
    if (direction === 'out') {
      const cause = { id: payment.id, reference: draft.reference, atMs }
      book.post(tenant.id, draft.currency, cause, acceptedPostings(draft.amount, fee))
    } else book.addIncoming(tenant.id, draft.currency, draft.amount)
    accepted.push({ payment, ordinal: position.ordinal, dueAt: new Date(nowMs + command.keepMs) })
    known.set(keyText(tenant.id, draft.reference), payment)
    return { kind: 'accepted', payment }
  }

  const outcomes = commands.map(decide)
  insertPayments(tx, accepted)
  return outcomes
}

function compare(first: Payment, draft: Draft): AcceptOutcome {
  if (first.kind !== draft.kind) return { kind: 'other-kind', first }
  const field = differingField(first, draft)
  return field === undefined ? { kind: 'replayed', payment: first } : { kind: 'differs', first, field }
}

function newPayment({ tenant, draft, fee, keepMs }: AcceptCommand, rail: string, at: Date, nowMs: number): Payment {
  const accepted = {
    lane: tenant.lane,
    tenantId: tenant.id,
    id: newUuid(at.getTime()),
    fee,
    rail,
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    // The accepting process sends it on at once, so from now on it may have left the building.
    submittedAt: keepMs > 0 ? new Date(nowMs) : null,
    asks: 0,
  }
  return bornOf(draft, accepted, nowMs)
}

function keyText(tenantId: Uuid, reference: string): string {
  return `${tenantId} ${reference}`
}
