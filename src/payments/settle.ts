// Settles payments in batches: a result becomes a status, movements, an entry of the rail's float book (what the
// provider should hold for us) and an event, in one commit. Only this operation changes the status, the money or the
// rail of an accepted payment, and a process has only one such operation: two of them in one transaction would decide
// without seeing each other's decisions, and money would move twice. transitions.ts decides the status and the event,
// and ledger/chart.ts the movements, such as the amount and the fee that a failed payout gives back.

import { recordEntry } from '#audit/record.ts'
import { createInflows, type Inflows } from '#deposits/from-collection.ts'
import { findOperator } from '#directory/operators.ts'
import { type EventOutbox, createEventOutbox } from '#events/outbox.ts'
import { bookFloat } from '#ledger/float.ts'
import { type Book, withTenants, bookOf } from '#ledger/post.ts'
import { present } from '#platform/assert.ts'
import type { Environment, Actor, Context, Tenant } from '#platform/context.ts'
import { type Tx, arrayOf, inLane, statement } from '#platform/db/db.ts'
import type { Lane, Operation } from '#platform/db/lane.ts'
import { minuteMs, hourMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { type Money, zero, negate } from '#platform/money.ts'
import { holdsMoney, railReferenceOf } from '#rails/formats.ts'
import { closeReviewItems, closeByPerson, raiseReviewItem } from '#review/review-queue.ts'
import { countFigure } from '#stats/stats.ts'
import { depositFees } from '#deposits/fees.ts'
import { type ChangedRail, changeRails } from './execution/failover.ts'
import { type Try, keepTries } from './execution/rail-call.ts'
import { allowancesOf, type Allowances } from './limits.ts'
import {
  countryOf,
  type RailChange,
  kinds,
  totalDebit,
  type Result,
  type MomoCollection,
  type Payment,
  type LastAnswer,
  isFinal,
} from './payment.ts'
import { hasExpired } from './collection-rules.ts'
import { lockPayments, changePayments, type PaymentKey, findPayments, type Change } from './queries.ts'
import {
  stuckAfterMs,
  unconcernedMs,
  moneyWithoutRoom,
  noteAnswerOfRailLeft,
  noteContradiction,
  existsAndIsAbsent,
} from './review-items.ts'
import { transitionOf, type Transition, asKnownHere, saysNothingNew } from './transitions.ts'
import { publicIdOf, paymentData } from './wire.ts'

export type SettleCommand = {
  tenantId: Uuid
  reference: string
  result: Result | RailChange
  /** The source of the result; absent for a tester on staging. */
  source?: Source
  tries?: readonly Try[] | undefined
}

export type Source =
  /** `rail`: the rail that answered; the payment may have left it since. */
  | { kind: 'rail'; environment: Environment; rail: string | null }
  | ({ kind: 'person'; environment: Environment } & Omit<ByHand, 'reference' | 'as'>)

export type SettleOutcome =
  | { kind: 'settled'; payment: Payment }
  /** The result says nothing new, or the change of the rail is not valid any more. */
  | { kind: 'unchanged'; payment: Payment }
  /** The payment can no longer change in this way. If a rail reports it, an operator must look at it. */
  | { kind: 'impossible'; payment: Payment }
  /** The balance would exceed its limit now. If a rail reported the money, the rail is asked again later. */
  | { kind: 'no-room'; payment: Payment }
  | { kind: 'not-found' }
  /** The result of an operator is refused while the rail may still act. */
  | { kind: 'refused'; payment: Payment; refusal: Refusal }

/** The result of a tester is never refused because of the rail. */
export type TestersOutcome = Exclude<SettleOutcome, { kind: 'refused' }>

/**
 * The wait before the service asks again about a returned payout, or a collection paid late, whose credit would exceed
 * the limit of the balance.
 */
const roomAskMs = hourMs

export type Settling = Operation<SettleCommand, SettleOutcome>

export function settleOperation(ctx: Context, events: EventOutbox, inflows: Inflows): Settling {
  return {
    name: 'payments.settle',
    async run(tx, commands) {
      const state = await openBatchState({ ctx, events, inflows }, tx, commands)
      const outcomes = commands.map((command) => settle(state, command))
      changeRails(tx, state.railChanges)
      if (state.changes.size > 0) changePayments(tx, [...state.changes.values()])
      return outcomes
    },
  }
}

type Writers = { ctx: Context; events: EventOutbox; inflows: Inflows }

/** What the transaction of one batch has read and decided so far. */
type SettleBatch = Writers & {
  tx: Tx
  book: Book
  allowances: Allowances
  payments: Map<string, Payment>
  changes: Map<string, Change>
  /** Read only for payments that an operator wants to end or that are to leave their rail. */
  holds: Map<string, Hold>
  railChanges: ChangedRail[]
}

async function openBatchState(writers: Writers, tx: Tx, commands: SettleCommand[]): Promise<SettleBatch> {
  // Every transition of a payment happens under its tenant's lock, so reads after the lock are current. The rows are locked
  // as well, because the loop claims them without that lock.
  const allowances = allowancesOf(tx)
  const found = await withTenants(
    tx,
    commands.map(({ tenantId }) => tenantId),
    (tenantIds) => {
      writers.events.expect(tx, tenantIds)
      return lockPayments(tx, commands)
    },
  )
  await allowances.read(commands.flatMap(({ tenantId, result }) => (mayFail(result) ? [tenantId] : [])))
  // `expectInflows` takes another round trip, but only for batches with collections.
  if (commands.some(({ result }) => result.kind === 'succeeded')) await expectInflows(writers.inflows, tx, found)
  const held = commands.filter(({ source, result }) => source?.kind === 'person' || result.kind === 'rail-changed')
  const holds = held.length === 0 ? [] : await findHoldsOf(tx, held)
  return {
    ...writers,
    tx,
    book: bookOf(tx),
    allowances,
    payments: new Map(found.map((payment) => [keyText(payment), payment])),
    changes: new Map(),
    holds: new Map(holds.map((hold) => [keyText(hold), hold])),
    railChanges: [],
  }
}

/** A return becomes a failure if the payment had not succeeded. */
const mayFail = ({ kind }: SettleCommand['result']): boolean => kind === 'failed' || kind === 'reversed'

function settle(state: SettleBatch, command: SettleCommand): SettleOutcome {
  const { ctx, inflows, tx, book, payments, changes } = state
  const { source } = command
  const key = keyText(command)
  const payment = payments.get(key)
  if (payment === undefined) return { kind: 'not-found' }
  const { tenantId, currency } = payment
  const nowMs = ctx.clock.now()
  if (command.result.kind === 'rail-changed') return settleRailChange(state, payment, command, command.result)
  if (source?.kind === 'rail' && source.rail !== payment.rail) {
    noteAnswerOfRailLeft(state, payment, command)
    return { kind: 'impossible', payment }
  }
  const result = source?.kind === 'rail' ? asKnownHere(payment, command.result) : command.result
  const isEnding = !isFinal(payment.status) && result.kind !== 'reversed'
  const refusal = source?.kind === 'person' && isEnding ? refusalIn(state, key, result) : undefined
  if (refusal !== undefined) return { kind: 'refused', payment, refusal }
  // `timeMs` is not before the last movement of the tenant's available balance. A transition that moves only reserved
  // money, or none, is no such movement. So the time is also never before the payment's own last transition.
  const earliestMs = Math.max(book.timeMs(tenantId, nowMs), payment.updatedAt.getTime())
  // A tester plays the mobile operator of a collection only until the collection has ended.
  const isOver = source === undefined && isFinal(payment.status) && result.kind === 'succeeded'
  const transition = isOver ? undefined : transitionOf(payment, result, { at: new Date(earliestMs), nowMs })
  if (transition === undefined) {
    if (saysNothingNew(payment, result)) return { kind: 'unchanged', payment }
    noteContradiction(state, payment, command)
    return { kind: 'impossible', payment }
  }
  const wanted = roomWantedBy(payment, result)
  if (wanted !== undefined && !book.hasRoom(tenantId, currency, wanted)) {
    if (source?.kind === 'person') return { kind: 'no-room', payment }
    changes.set(key, { payment, dueAt: new Date(nowMs + roomAskMs) })
    raiseReviewItem(ctx, tx, moneyWithoutRoom(payment, source?.environment ?? 'staging'))
    return { kind: 'no-room', payment }
  }
  const after =
    transition.isInflow === true ? recordInflow(inflows, tx, transition.payment as MomoCollection) : transition.payment
  write(state, payment, { ...transition, payment: after })
  const toBank = source?.kind === 'person' && source.toBank === true
  bookAtRail(tx, { payment: after, result, environment: source?.environment ?? 'staging', toBank, nowMs })
  payments.set(key, after)
  // A payment may change several times in a batch (succeed, then be reversed); the last transition decides its due time.
  const dueAt = transition.dueAt === undefined ? changes.get(key)?.dueAt : transition.dueAt
  changes.set(key, { payment: after, dueAt })
  if (command.tries !== undefined) keepTries(tx, after, command.tries)
  noteEnd(state, { before: payment, after, command })
  return { kind: 'settled', payment: after }
}

/** The amount that this result credits without a reservation. The balance must have room for it. */
function roomWantedBy(payment: Payment, { kind }: Result): Money | undefined {
  if (kind === 'reversed') return totalDebit(payment)
  return kind === 'succeeded' && hasExpired(payment) ? payment.amount : undefined
}

/**
 * If another process leased the payment after this decision, that process decides. If a notice has shown since that the
 * payment exists at its rail, the payment stays there.
 */
function settleRailChange(
  state: SettleBatch,
  payment: Payment,
  { tries }: SettleCommand,
  change: RailChange,
): SettleOutcome {
  const { ctx, tx, payments, holds, railChanges } = state
  const { tenantId, reference, id: paymentId, attempts: attempt } = payment
  const { from, to, why, railReference, leaseEnd } = change
  const isHeld = holds.get(keyText(payment))?.dueAt?.getTime() === leaseEnd.getTime()
  const exists = payment.submissionAnswer === 'exists'
  if (!isHeld || exists || isFinal(payment.status) || payment.rail !== from) return { kind: 'unchanged', payment }
  const at = new Date(ctx.clock.now())
  railChanges.push({ tenantId, reference, paymentId, from, to, attempt, why, at, dueAt: at, railReference })
  const after = {
    ...payment,
    rail: to,
    attempts: attempt + 1,
    submittedAt: null,
    parkedAt: null,
    asks: 0,
    submissionAnswer: null,
  }
  payments.set(keyText(payment), after)
  if (tries !== undefined) keepTries(tx, after, tries)
  return { kind: 'settled', payment: after }
}

function refusalIn({ ctx, payments, holds }: SettleBatch, key: string, result: Result): Refusal | undefined {
  const payment = present(payments.get(key), 'it was found')
  const hold = present(holds.get(key), 'it was locked, so it is there')
  return refusalOf(payment, hold, result, ctx.clock.now())
}

function write({ events, tx, book, allowances }: SettleBatch, before: Payment, transition: Transition): void {
  const { payment: after, postings, event } = transition
  const { id, tenantId, reference, currency, amount, trace } = after
  const atMs = after.updatedAt.getTime()
  if (before.kind === 'momo_collection' && !isFinal(before.status) && isFinal(after.status))
    book.addIncoming(tenantId, currency, negate(amount))
  book.post(tenantId, currency, { id, reference, atMs }, postings)
  if (after.status === 'FAILED' && kinds[before.kind].direction === 'out')
    allowances.giveBack(tenantId, before, before.createdAt)
  countEnd(tx, before, after)
  if (event === undefined) return
  events.emit(tx, { tenantId, name: event, sourceId: id, reference, data: paymentData(after), atMs, trace })
}

const outcomes = { SUCCESS: 'succeeded', FAILED: 'failed', REVERSED: 'returned' } as const

/**
 * Counts the end of a payment; a result about a code alone is no end. If the end replaces an earlier end, the earlier
 * one is also counted as undone, in the hour in which it happened.
 */
function countEnd(tx: Tx, before: Payment, after: Payment): void {
  if (after.status === before.status || !(after.status in outcomes)) return
  const outcome = outcomes[after.status as keyof typeof outcomes]
  const { tenantId, kind, currency, amount, createdAt, updatedAt: at } = after
  const fee = outcome === 'failed' ? zero : after.fee
  const took = outcome === 'returned' ? {} : { tookMs: at.getTime() - createdAt.getTime() }
  countFigure(tx, { tenantId, kind, currency, amount, outcome, reason: after.failureReason ?? '', at, fee, ...took })
  if (before.completedAt === null) return
  const [undone, reason] =
    before.status === 'FAILED'
      ? (['failure_undone', before.failureReason ?? ''] as const)
      : (['success_undone', ''] as const)
  countFigure(tx, { tenantId, kind, currency, amount, outcome: undone, reason, at: before.completedAt })
}

function keyText({ tenantId, reference }: { tenantId: Uuid; reference: string }): string {
  return `${tenantId} ${reference}`
}

const findHolds = statement(
  'payments.find_holds',
  `select p.tenant_id as "tenantId", p.reference, p.due_at as "dueAt", p.submitted_at as "submittedAt",
          p.rail_word as "railAnswer"
     from unnest($2::uuid[], $3::text[]) as k (tenant_id, reference)
     cross join lateral (
       select * from payment
        where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p`,
)

/** The caller must have locked the rows. */
export function findHoldsOf(tx: Tx, keys: PaymentKey[]): Promise<(Hold & PaymentKey)[]> {
  const values = [tx.lane, arrayOf(keys, (key) => key.tenantId), arrayOf(keys, (key) => key.reference)]
  return tx.query<Hold & PaymentKey>(findHolds, values)
}

// An operator cannot settle an unfinished payment while its rail may still act, because a later answer of the rail
// could no longer move the money. A payment that was never submitted can always be settled as failed. The rule is in
// docs/spec.md.

export type Refusal =
  /** A process has leased the payment. */
  | 'leased'
  /** The last answer of the rail was that the payment is under way. */
  | 'under-way'
  /** The service asks the rail within the next minute, or that question is overdue. */
  | 'asked-soon'
  /** The payment is younger than a day, and its rail is configured, so the rail may still answer. */
  | 'young'
  /** The payment waits to be submitted again, and the provider may still execute an earlier submission. */
  | 'unclear'
  /** The payment was never submitted, so it cannot have succeeded. */
  | 'never-left'

export type Hold = { dueAt: Date | null; submittedAt: Date | null; railAnswer: LastAnswer | null }

const soonMs = minuteMs

/**
 * Why an operator may not end this unfinished payment yet; undefined if they may. The claim stores the time of the
 * submission before the payment leaves. So if the locked row has no such time, no process can be submitting the
 * payment, and a late process writes nothing about it. But an earlier submission without a clear answer may still
 * arrive, because providers can show a transfer late.
 */
export function refusalOf(payment: Payment, hold: Hold, result: Result, nowMs: number): Refusal | undefined {
  const { dueAt, submittedAt, railAnswer } = hold
  const isYoung = railAnswer !== 'no-rail' && nowMs - payment.createdAt.getTime() < stuckAfterMs
  if (submittedAt === null) {
    if (payment.submissionAnswer !== null) return isYoung ? 'unclear' : undefined
    return result.kind === 'succeeded' ? 'never-left' : undefined
  }
  if (railAnswer === null) return 'leased'
  if (railAnswer === 'pending') return 'under-way'
  if (dueAt !== null && dueAt.getTime() <= nowMs + soonMs) return 'asked-soon'
  return isYoung ? 'young' : undefined
}

// Books the settlement of a payment in the float book of its rail, in the same commit. The simulator has no float book.

type Settled = {
  payment: Payment
  result: Result
  environment: Environment
  /** True if the returned money is in the company's own bank account. */
  toBank: boolean
  nowMs: number
}

function bookAtRail(tx: Tx, { payment, result, environment, toBank, nowMs }: Settled): void {
  const { rail, currency, amount, id, lane, kind } = payment
  if (!holdsMoney(rail)) return
  const place = { environment, rail, currency, country: countryOf(payment) }
  const cause = { ...place, subject: id, reference: railReferenceOf(id), lane, at: new Date(nowMs) }
  if (result.kind === 'reversed') {
    bookFloat(tx, 'reversal', cause, amount)
    // Each return is a reversal, which `ledger verify` looks for. Money that came back to the company's bank leaves the
    // balance again.
    if (toBank) bookFloat(tx, 'withdrawal', cause, amount)
  }
  if (result.kind !== 'succeeded') return
  bookFloat(tx, kinds[kind].direction === 'out' ? 'payout' : 'deposit', cause, amount)
  bookFloat(tx, kinds[kind].direction === 'out' ? 'payout_cost' : 'deposit_cost', cause, result.cost ?? zero)
}

/** Must run under the tenants' locks, before collections among these payments can succeed. */
async function expectInflows(inflows: Inflows, tx: Tx, payments: Payment[]): Promise<void> {
  const collecting = payments.filter(
    (one) => one.kind === 'momo_collection' && (!isFinal(one.status) || hasExpired(one)),
  )
  if (collecting.length === 0) return
  await inflows.expect(tx, new Set(collecting.map(({ tenantId }) => tenantId)))
}

/** Creates the deposit of a collection, and returns the collection with the id and reference of the deposit. */
function recordInflow(inflows: Inflows, tx: Tx, collection: MomoCollection): MomoCollection {
  const { phoneNumber, operator, customerName, narration, tenantId, currency, amount, fee } = collection
  const deposit = inflows.record(tx, {
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
  const at = new Date(deposit.atMs)
  return {
    ...collection,
    depositId: deposit.id,
    depositReference: deposit.reference,
    updatedAt: at,
    completedAt: at,
  }
}

// Other records of a settlement's transaction: review items that it closes, and the audit entry of an operator.
// review-items.ts reports contradictions of the rail.

// Puts a collection that had expired into the search index again, because it has the operator's reference only now.
const findAgain = statement(
  'payments.find_again',
  `insert into search_pending (lane, tenant_id, kind, ordinal, due_at)
   select lane, tenant_id, kind, ordinal, $4 from payment where lane = $1 and tenant_id = $2 and reference = $3
   on conflict (lane, tenant_id, kind, ordinal) do update set due_at = excluded.due_at`,
)

type End = { before: Payment; after: Payment; command: SettleCommand }

function noteEnd({ ctx, tx }: { ctx: Context; tx: Tx }, { before, after, command }: End): void {
  const nowMs = ctx.clock.now()
  const about = { subject: publicIdOf(after), note: `it became ${after.status}` }
  const closeItem = command.source?.kind === 'person' ? command.source.closeItem : undefined
  if (closeItem !== undefined) closeByPerson(ctx, tx, closeItem)
  // A payment from before the clock was set back is dated in the future.
  const isOld = Math.abs(nowMs - before.createdAt.getTime()) > unconcernedMs
  if (isOld && isFinal(after.status) && !isFinal(before.status)) {
    closeReviewItems(ctx, tx, [
      { kind: 'payment-stuck', ...about },
      { kind: 'payment-without-rail', ...about },
      { kind: 'payment-contradicted', fact: existsAndIsAbsent, ...about },
    ])
  }
  if (after.status === 'REVERSED' || hasExpired(before))
    closeReviewItems(ctx, tx, [{ kind: 'return-without-room', ...about }])
  // Closes the review item for the rail's contradiction of the expiry, because the rail's answer is confirmed now.
  if (hasExpired(before)) {
    closeReviewItems(ctx, tx, [{ kind: 'payment-contradicted', ...about }])
    tx.send(findAgain, [tx.lane, after.tenantId, after.reference, new Date(nowMs)])
  }
  const { source, result, reference, tenantId } = command
  if (source?.kind !== 'person') return
  const { note, toBank = false } = source
  // Closes contradictions of the success, because an operator has decided which answer was true.
  if (after.status === 'REVERSED') closeReviewItems(ctx, tx, [{ kind: 'payment-contradicted', ...about }])
  const details = { reference, as: result.kind, note, ...(toBank ? { toBank } : {}) }
  recordEntry(tx, nowMs, { by: source.by, act: 'payment.settled', tenantId, subject: about.subject, details })
}

// Settles a payment by hand. An operator of the service does this in two cases: the provider told the operator how the
// payment ended, and the rail will never report it; or the money came back outside the API after a success. The payment
// is settled like any other result, but not while its rail may still act.

export type ByHand = {
  reference: string
  as: 'success' | 'failed' | 'returned'
  note: string
  by: Actor
  /** True if returned money arrived in the company's own bank account, not in the balance at the provider. */
  toBank?: boolean
  /** Closes the review item that the operator decided on, in the transaction that settles the payment. */
  closeItem?: (tx: Tx) => Promise<void>
}

export type SettleByHand = (tenant: Tenant, decision: ByHand) => Promise<SettleOutcome>

/** `settling`: the operation of this process; absent on the command line, where no services run. */
export function createSettleByHand(
  ctx: Context,
  laneOf: (lane: number) => Lane,
  settling: Settling = settleOperation(ctx, createEventOutbox(ctx.clock), createInflows(ctx, depositFees)),
): SettleByHand {
  return async (tenant, { reference, as, ...decision }) => {
    const [payment] = await findPayments(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, reference }])
    if (payment === undefined) return { kind: 'not-found' }
    const source = { kind: 'person' as const, environment: tenant.environment, ...decision }
    return laneOf(tenant.lane).submit(settling, {
      tenantId: tenant.id,
      reference,
      result: resultOf(payment, as),
      source,
    })
  }
}

function resultOf({ kind }: Payment, as: ByHand['as']): Result {
  switch (as) {
    case 'success':
      return { kind: 'succeeded' }
    case 'failed':
      // The API has a fixed list of reasons. The provider's own reason is in the operator's note.
      return { kind: 'failed', reason: kind === 'bank_transfer' ? 'PROVIDER_ERROR' : 'UNSPECIFIED_FAILURE' }
    case 'returned':
      return { kind: 'reversed' }
  }
}
