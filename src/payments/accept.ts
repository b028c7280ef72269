// Accepts payments of every kind, in batches: `decide` has all checks in their order. One commit then writes the
// payment and reserves the amount of a payout. No payment is refused after this, and a refused payment leaves no trace.
// Below: a reference that was used before is a replay or a conflict (`compareWithFirst`), and a person must confirm a
// payout that they may have sent already (`unconfirmedTwin`).
//
// The other modules collect what they write while the batch is decided, and write it by hooks before the commit: the
// movements and balances (ledger/post.ts), the amounts of the day (limits.ts) and the figures (stats/stats.ts).

import { acceptedPostings } from '#ledger/chart.ts'
import { type Book, withTenants, bookOf } from '#ledger/post.ts'
import { assert, present } from '#platform/assert.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { statement, type InLane, type Tx, arraysOf } from '#platform/db/db.ts'
import type { Operation } from '#platform/db/lane.ts'
import { positionAfter, type Position } from '#platform/db/numbered-list.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { add, type Currency, type Money } from '#platform/money.ts'
import type { AmountFault } from '#rails/operator-offers.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { countFigure, type Happening } from '#stats/stats.ts'
import { dayMs } from '#platform/durations.ts'
import { type Brakes, type BrakeWatch, watchBrakes } from './brakes.ts'
import { allowancesOf, type Allowances, type Excess } from './limits.ts'
import { paymentList } from './list.ts'
import { type Payment, bornOf, kinds, type PaymentKind, type Draft } from './payment.ts'
import { type NewPayment, paymentColumns, insertPayments, findPayments, paymentOf } from './queries.ts'

export type AcceptCommand = {
  tenant: Tenant
  draft: Draft
  /** Of a payout as `payoutFeeOf` (fees.ts) calculates it, of a collection as `depositFeeOf` (deposits/fees.ts) does. */
  fee: Money
  /** False if the directory has no such bank or operator. */
  payeeIsKnown: boolean
  unfit?: Unfit | undefined
  /** `why`: the missing setting, if this environment has no rail for the payment. */
  rail: { kind: 'served'; rail: string } | { kind: 'missing'; why: string }
  /** True if the rail sends notices about payments; then the payment is stored with its reference at the rail. */
  isToldOf: boolean
  keyId: Uuid | null
  /** The accepting process leases the payment for this long to submit it; 0: any worker may claim it at once. */
  keepMs: number
  trace: string | null
  /**
   * Set if a person sends the request: a payout that repeats one of the last day must then be confirmed. Undefined for
   * an API key.
   */
  twins?: TwinAnswer | undefined
}

type SharedOutcome =
  | { kind: 'accepted'; payment: Payment; leaseEnd: Date | null }
  | RepeatOutcome
  | { kind: 'missing-rail'; why: string }

type UnknownOperator = { kind: 'unknown-operator' }

export type Unfit = { kind: 'other-currency'; currency: Currency } | (AmountFault & { currency: Currency })

/** The tenant may not use the currency. */
type CurrencyOff = { kind: 'currency-off'; currency: Currency }
type Withheld =
  | { kind: 'paused' }
  | { kind: 'twin'; first: Payment }
  | ({ kind: 'over-limit' } & Excess)
  | { kind: 'insufficient-balance'; required: Money; available: Money; currency: Currency }

export type BankTransferOutcome = SharedOutcome | { kind: 'unknown-bank' } | Withheld
export type MomoTransferOutcome = SharedOutcome | UnknownOperator | Unfit | CurrencyOff | Withheld
/** The balance, including amounts that are still to arrive, would exceed the integers that JSON carries exactly. */
type TooMuch = { kind: 'too-much' }

export type MomoCollectionOutcome = SharedOutcome | UnknownOperator | Unfit | CurrencyOff | TooMuch
export type AcceptOutcome = BankTransferOutcome | MomoTransferOutcome | MomoCollectionOutcome

export function acceptOperation(
  ctx: Context,
  brakes: Pick<BrakeWatch, 'now'> = watchBrakes(ctx),
): Operation<AcceptCommand, AcceptOutcome> {
  return { name: 'payments.accept', run: (tx, commands) => acceptPayments({ ctx, brakes }, tx, commands) }
}

/** Acceptance reads the brakes, so the first submission usually needs no query for them. */
type AcceptMeans = { ctx: Context; brakes: Pick<BrakeWatch, 'now'> }

async function acceptPayments(means: AcceptMeans, tx: Tx, commands: AcceptCommand[]): Promise<AcceptOutcome[]> {
  const state = await openBatchState(means, tx, commands)
  const outcomes = commands.map((command) => decide(state, command))
  insertPayments(tx, state.accepted)
  return outcomes
}

/** What this transaction has read and decided so far. */
type AcceptBatch = {
  ctx: Context
  tx: Tx
  book: Book
  allowances: Allowances
  brakes: Brakes | undefined
  /** The creation time and list number of the latest payment of each kind, by tenant. */
  positions: Map<PaymentKind, Map<Uuid, Position>>
  known: Map<string, Payment>
  /** The latest earlier payout with the same amount and account, by command. */
  twins: Map<AcceptCommand, Payment>
  accepted: NewPayment[]
}

async function openBatchState(
  { ctx, brakes: watch }: AcceptMeans,
  tx: Tx,
  commands: AcceptCommand[],
): Promise<AcceptBatch> {
  const keys = commands.map(({ tenant, draft }) => ({ tenantId: tenant.id, reference: draft.reference }))
  const asked = [...new Set(commands.map(({ draft }) => draft.kind))]
  const paysOut = asked.some((kind) => kinds[kind].direction === 'out')
  const book = bookOf(tx)
  const allowances = allowancesOf(tx)
  const [found, lists, brakes] = await withTenants(
    tx,
    keys.map(({ tenantId }) => tenantId),
    (tenantIds) =>
      Promise.all([
        findPayments(tx, keys),
        Promise.all(asked.map(async (kind) => [kind, await paymentList.lastOfTenants(tx, tenantIds, kind)] as const)),
        paysOut ? watch.now() : undefined,
      ]),
  )
  // A tenant without limits and a request with an API key cost no query here.
  if (paysOut) await allowances.read(keys.map(({ tenantId }) => tenantId))
  const twins = await findTwins(tx, commands, ctx.clock.now())
  const known = new Map(found.map((payment) => [keyText(payment.tenantId, payment.reference), payment]))
  return { ctx, tx, book, allowances, brakes, positions: new Map(lists), known, twins, accepted: [] }
}

function decide(state: AcceptBatch, command: AcceptCommand): AcceptOutcome {
  const { tenant, draft } = command
  const first = state.known.get(keyText(tenant.id, draft.reference))
  if (first !== undefined) return compareWithFirst(first, draft)
  const refusal = refusalOf(state, command)
  if (refusal !== undefined) return refusal
  const nowMs = state.ctx.clock.now()
  // A payment is dated no earlier than the last movement of the tenant's balance (`timeMs`). A new collection makes no
  // movement, because it reserves no money. So a payment is also dated no earlier than the previous payment in the
  // tenant's list.
  const last = state.positions.get(draft.kind)?.get(tenant.id)
  const position = positionAfter(last, state.book.timeMs(tenant.id, nowMs))
  return amountRefusalOf(state, command, position.createdAt) ?? enter(state, command, position, nowMs)
}

/** The checks before those of the amount. Of several faults, the caller learns the first. */
function refusalOf(state: AcceptBatch, command: AcceptCommand): AcceptOutcome | undefined {
  const { book, brakes } = state
  const { tenant, draft, rail } = command
  const { direction, unknownPayee } = kinds[draft.kind]
  if (direction === 'out' && brakes?.isPaused(tenant) === true) return { kind: 'paused' }
  if (!command.payeeIsKnown) return { kind: unknownPayee }
  if (command.unfit !== undefined) return command.unfit
  if (!book.isSwitchedOn(tenant.id, draft.currency)) return { kind: 'currency-off', currency: draft.currency }
  if (rail.kind === 'missing') return { kind: 'missing-rail', why: rail.why }
  const twin = unconfirmedTwin(state, command)
  return twin === undefined ? undefined : { kind: 'twin', first: twin }
}

function amountRefusalOf(
  { book, allowances }: AcceptBatch,
  { tenant, draft: { kind, amount, currency }, fee }: AcceptCommand,
  at: Date,
): Withheld | TooMuch | undefined {
  if (kinds[kind].direction === 'in')
    return book.hasRoom(tenant.id, currency, amount) ? undefined : { kind: 'too-much' }
  const excess = allowances.excess(tenant.id, { amount, currency }, at)
  if (excess !== undefined) return { kind: 'over-limit', ...excess }
  const required = add(amount, fee)
  const available = book.available(tenant.id, currency)
  return available < required ? { kind: 'insufficient-balance', required, available, currency } : undefined
}

/** Adds the payment to the state of the batch, so that the later commands are decided with it in view. */
function enter(state: AcceptBatch, command: AcceptCommand, position: Position, nowMs: number): AcceptOutcome {
  const { tx, book, allowances, positions, known, accepted } = state
  const { tenant, draft, fee, keyId, keepMs } = command
  const { createdAt, ordinal } = position
  const leaseEnd = keepMs > 0 ? new Date(nowMs + keepMs) : null
  const payment = newPayment(command, { createdAt, leaseEnd, nowMs })
  if (kinds[draft.kind].direction === 'out') {
    const cause = { id: payment.id, reference: draft.reference, atMs: createdAt.getTime() }
    book.post(tenant.id, draft.currency, cause, acceptedPostings(draft.amount, fee))
    allowances.count(tenant.id, draft, createdAt)
  } else book.addIncoming(tenant.id, draft.currency, draft.amount)
  const railReference = command.isToldOf ? railReferenceOf(payment.id) : null
  accepted.push({ payment, ordinal, dueAt: leaseEnd ?? new Date(nowMs), keyId, railReference })
  positions.get(draft.kind)?.set(tenant.id, position)
  known.set(keyText(tenant.id, draft.reference), payment)
  countFigure(tx, { tenantId: tenant.id, ...figureOf(draft), outcome: 'accepted', at: createdAt })
  return { kind: 'accepted', payment, leaseEnd }
}

function figureOf({ kind, currency, amount }: Draft): Pick<Happening, 'kind' | 'currency' | 'amount'> {
  return { kind, currency, amount }
}

function newPayment(
  { tenant, draft, fee, rail, trace }: AcceptCommand,
  { createdAt, leaseEnd, nowMs }: { createdAt: Date; leaseEnd: Date | null; nowMs: number },
): Payment {
  assert(rail.kind === 'served', 'a payment without a rail is refused')
  const accepted = {
    lane: tenant.lane,
    tenantId: tenant.id,
    id: newUuid(createdAt.getTime()),
    fee,
    rail: rail.rail,
    attempts: 1,
    createdAt,
    updatedAt: createdAt,
    completedAt: null,
    // The accepting process submits it at once, so from now on the rail may have it.
    submittedAt: leaseEnd === null ? null : new Date(nowMs),
    parkedAt: null,
    asks: 0,
    submissionAnswer: null,
    trace,
  }
  return bornOf(draft, accepted, nowMs)
}

function keyText(tenantId: Uuid, reference: string): string {
  return `${tenantId} ${reference}`
}

// Refuses a payout that a person may have sent twice by form: from two tabs, or again because the first one is still
// queued. A payout with the same amount and account as another one of the last day is refused, unless the person
// confirms that other payout by its reference. This is decided under the tenant's lock, so only one of two tabs
// succeeds, and a confirmation is valid for one payout.

/** `confirmed`: the reference of the earlier payout that the person confirmed; null if the person saw none. */
export type TwinAnswer = { confirmed: string | null }

/** `twins` undefined: the request has an API key, and its payment is not checked. */
type CheckedCommand = { tenant: Tenant; draft: Draft; twins?: TwinAnswer | undefined }

/**
 * Returns the payout that the person must confirm first, if there is one: the latest among those accepted in this batch,
 * or else the one that `findTwins` found.
 */
export function unconfirmedTwin<Asked extends CheckedCommand>(
  { twins, accepted }: { twins: ReadonlyMap<Asked, Payment>; accepted: readonly NewPayment[] },
  command: Asked,
): Payment | undefined {
  if (command.twins === undefined) return undefined
  const here = accepted.findLast(
    ({ payment }) => payment.tenantId === command.tenant.id && isTwin(payment, command.draft),
  )
  const twin = here?.payment ?? twins.get(command)
  return twin?.reference === command.twins.confirmed ? undefined : twin
}

const twinMs = dayMs
/**
 * An earlier payout is searched among this many of the tenant's latest payouts of one kind: more than people enter by
 * form in a day.
 */
const payoutsSearchedMax = 20_000

// Scans the latest payouts once for all commands of a batch, because a bulk request of a person has up to 1 000. One
// scan for each command kept the lane busy for 36 s; one scan for all takes 0.2 s. Payouts and commands are grouped
// instead of joined, because a planner without statistics would compare each payout with each command (7 s).
const findLatest = statement(
  'payments.twin',
  `with latest as materialized (
     select max(ordinal) as ordinal, array_agg(place) filter (where place is not null) as places
       from (
         select amount, coalesce(account_number, phone_number) as account, bank_slug, account_reference, ordinal,
                case when bank_slug is null and account_number is not null then operator end as business, null::int as place
           from (select * from payment where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0
                  order by ordinal desc limit ${payoutsSearchedMax}) as p
          where created_at > $4 and status in ('queued', 'SUCCESS')
          union all
         select amount, account, bank, reference, null, business, place
           from unnest($5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
             as k (place, amount, account, bank, business, reference)) as either
      group by amount, account, bank_slug, account_reference, business
     having count(ordinal) > 0 and count(place) > 0)
   select unnest(places) as place, ${paymentColumns}
     from latest cross join lateral (
       select * from payment where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0 and ordinal = latest.ordinal
        limit 1) as p`,
)

/** Returns the latest earlier payout with the same amount and account, by command. */
export async function findTwins<Asked extends CheckedCommand>(
  db: InLane,
  commands: readonly Asked[],
  nowMs: number,
): Promise<Map<Asked, Payment>> {
  const twins = new Map<Asked, Payment>()
  const asked = commands.flatMap((command, place) => {
    const { tenant, draft } = command
    const payee = command.twins === undefined ? undefined : payeeOf(draft)
    return payee === undefined ? [] : [{ ...payee, place, tenantId: tenant.id, kind: draft.kind, amount: draft.amount }]
  })
  for (const ofList of Map.groupBy(asked, ({ tenantId, kind }) => `${tenantId} ${kind}`).values()) {
    const [{ tenantId, kind }] = ofList as [(typeof ofList)[number]]
    const payees = arraysOf(ofList, 'place', 'amount', 'account', 'bank', 'business', 'reference')
    const values = [db.lane, tenantId, kind, new Date(nowMs - twinMs), ...payees]
    for (const { place, ...row } of await db.query<Payment & { place: number }>(findLatest, values)) {
      const command = present(commands[place], 'the row has the place of its command')
      twins.set(command, paymentOf(row))
    }
  }
  return twins
}

function isTwin(one: Draft | Payment, other: Draft | Payment): boolean {
  const [a, b] = [payeeOf(one), payeeOf(other)]
  if (a === undefined || b === undefined || one.amount !== other.amount) return false
  return a.account === b.account && a.bank === b.bank && a.business === b.business && a.reference === b.reference
}

/**
 * `business`: the operator of a till or paybill, because two operators may give out the same number. Null for phone
 * numbers, because people keep them when they change their operator.
 */
type Payee = { account: string; bank: string | null; business: string | null; reference: string | null }

function payeeOf(payout: Draft | Payment): Payee | undefined {
  switch (payout.kind) {
    case 'bank_transfer':
      return { account: payout.accountNumber, bank: payout.bankSlug, business: null, reference: null }
    case 'momo_transfer': {
      const { phoneNumber, accountNumber, accountReference: reference, operator } = payout
      const business = accountNumber === null ? null : operator
      return { account: accountNumber ?? phoneNumber ?? '', bank: null, business, reference }
    }
    case 'momo_collection':
      return undefined
  }
}

// Idempotency of payments: what follows if a business sends a reference again. The same request is a replay. A request that
// differs in a material field, or that has another kind, is a conflict. `decide` looks up the first payment
// under the tenant's lock, so of two requests at once, the second finds the payment of the first. `asAccepted`
// (payment.ts) makes the answer to a replay.

export type RepeatOutcome =
  | { kind: 'replayed'; payment: Payment }
  | { kind: 'differs'; first: Payment; field: string }
  | { kind: 'other-kind'; first: Payment }

export function compareWithFirst(first: Payment, draft: Draft): RepeatOutcome {
  if (first.kind !== draft.kind) return { kind: 'other-kind', first }
  const field = differingField(first, draft)
  return field === undefined ? { kind: 'replayed', payment: first } : { kind: 'differs', first, field }
}

/** Other fields, such as the narration, may differ: the first payment keeps its own. */
const materialFields: Record<PaymentKind, readonly string[]> = {
  bank_transfer: ['amount', 'bankSlug', 'accountNumber'],
  momo_transfer: ['amount', 'phoneNumber', 'operator', 'accountNumber', 'accountReference'],
  momo_collection: ['amount', 'phoneNumber', 'operator'],
}

/** Returns the first material field that differs. */
export function differingField(
  first: { kind: PaymentKind } & Record<string, unknown>,
  second: Record<string, unknown>,
): string | undefined {
  return materialFields[first.kind].find((field) => first[field] !== second[field])
}
