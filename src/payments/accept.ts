// Accepting payments, many at once: who asked before, is the bank known, is the money there, and then the promise:
// a row, a hold on the balance, one commit. Nothing is refused after this, and nothing that was refused leaves a trace.

import type { Context, Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { add, type Kobo } from '#base/money.ts'
import type { Bank } from '#directory/banks.ts'
import { acceptedPostings } from '#ledger/posting.ts'
import { bookOf } from '#ledger/post.ts'
import { differingField, type Payment, type PaymentKind, type Request } from './payment.ts'
import { findPayments, insertPayments, lastOrdinals, type NewPayment } from './sql.ts'

export type AcceptCommand = {
  tenant: Tenant
  request: Request
  fee: Kobo
  /** Undefined when there is no bank of that slug; looked at only after the reference. */
  bank: Bank | undefined
  /** The setting that would name a rail, when this environment has none. */
  missingRail: string | undefined
  /** Until when the accepting process keeps the payment to itself, to send it on; 0: any worker may take it at once. */
  keepMs: number
}

export type AcceptOutcome =
  | { kind: 'accepted'; payment: Payment }
  | { kind: 'replayed'; payment: Payment }
  | { kind: 'differs'; first: Payment; field: string }
  | { kind: 'other-kind'; first: Payment }
  | { kind: 'unknown-bank' }
  | { kind: 'missing-rail'; setting: string }
  | { kind: 'insufficient-balance'; required: Kobo; available: Kobo }

const kind: PaymentKind = 'bank_transfer'

export function acceptOperation(ctx: Context): Operation<AcceptCommand, AcceptOutcome> {
  return { name: 'payments.accept', run: (tx, commands) => acceptPayments(ctx, tx, commands) }
}

async function acceptPayments(ctx: Context, tx: Tx, commands: AcceptCommand[]): Promise<AcceptOutcome[]> {
  const lane = commands[0]?.tenant.lane ?? 0
  const tenantIds = [...new Set(commands.map(({ tenant }) => tenant.id))]
  const book = bookOf(tx, lane)
  const locks = book.lock(tenantIds)
  // What is read after the lock statement left sees all that other processes accepted for these tenants.
  await locks.sent
  const keys = commands.map(({ tenant, request }) => ({ tenantId: tenant.id, reference: request.reference }))
  const [found, ordinals] = await Promise.all([
    findPayments(tx, lane, keys),
    lastOrdinals(tx, lane, tenantIds, kind),
    locks.done,
  ])
  const known = new Map(found.map((payment) => [keyText(payment.tenantId, payment.reference), payment]))
  const accepted: NewPayment[] = []

  function decide(command: AcceptCommand): AcceptOutcome {
    const { tenant, request, fee, bank } = command
    const key = keyText(tenant.id, request.reference)
    const first = known.get(key)
    if (first !== undefined) return compare(first, request)
    if (bank === undefined) return { kind: 'unknown-bank' }
    if (command.missingRail !== undefined) return { kind: 'missing-rail', setting: command.missingRail }
    const required = add(request.amount, fee)
    const available = book.available(tenant.id, request.currency)
    if (available < required) return { kind: 'insufficient-balance', required, available }
    const atMs = book.timeMs(tenant.id, request.currency, ctx.clock.now())
    const ordinal = (ordinals.get(tenant.id) ?? 0n) + 1n
    ordinals.set(tenant.id, ordinal)
    const payment = newPayment(command, bank, ordinal, new Date(atMs), ctx.clock.now())
    book.post(
      tenant.id,
      request.currency,
      { id: payment.id, reference: request.reference, atMs },
      acceptedPostings(request.amount, fee),
    )
    accepted.push(payment)
    known.set(key, payment)
    return { kind: 'accepted', payment }
  }

  const outcomes = commands.map(decide)
  if (accepted.length > 0) insertPayments(tx, lane, kind, accepted)
  return outcomes
}

function compare(first: Payment, request: Request): AcceptOutcome {
  if (first.kind !== kind) return { kind: 'other-kind', first }
  const field = differingField(first, request)
  return field === undefined ? { kind: 'replayed', payment: first } : { kind: 'differs', first, field }
}

function newPayment(command: AcceptCommand, bank: Bank, ordinal: bigint, at: Date, nowMs: number): NewPayment {
  const { tenant, request, fee, keepMs } = command
  return {
    ...request,
    lane: tenant.lane,
    tenantId: tenant.id,
    id: newUuid(at.getTime()),
    kind,
    ordinal,
    status: 'queued',
    fee,
    bankName: bank.name,
    sessionId: null,
    failureReason: null,
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    // Kept by the process that accepts it, it may leave the building from now on.
    submittedAt: keepMs > 0 ? new Date(nowMs) : null,
    dueAt: new Date(nowMs + keepMs),
    asks: 0,
  }
}

function keyText(tenantId: Uuid, reference: string): string {
  return `${tenantId} ${reference}`
}
