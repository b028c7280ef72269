// The calls of a payment at its rail: submission and status. Each kind has its own port. Only the rail that the payment
// names is called, even if the environment has another rail now: another rail would truthfully answer that it does not
// know the payment, and the payment would be paid twice. failover.ts decides when a payment may name another rail. A
// rail promises not to throw; if it throws anyway, the outcome is unknown.

import { findBank } from '#directory/banks.ts'
import { findOperator } from '#directory/operators.ts'
import { kinds, type MomoCollection, type Payment, paymentKinds } from '#payments/payment.ts'
import { present } from '#platform/assert.ts'
import type { Clock } from '#platform/clock.ts'
import { type Environment, environments, type Tenant } from '#platform/context.ts'
import { arraysOf, type Queryable, statement, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type {
  CollectionState,
  MomoPayoutState,
  NotFound,
  OtpAnswer,
  PayoutState,
  RailOperator,
  Submission,
} from '#rails/rail.ts'
import { railReferenceOf } from '#rails/formats.ts'
import type { RailRegistry, Which } from '#rails/registry.ts'

export type RailState = PayoutState | MomoPayoutState | CollectionState

export type RailOrder = {
  /** `leaveBeforeMs`: the end of the lease under which the payment is submitted. */
  submit(leaveBeforeMs: number): Promise<RailState>
  status(): Promise<RailState | NotFound>
}

/**
 * Returns undefined if the rail is not configured in the environment, or the directory no longer has the bank or
 * operator. A payment without a rail goes to the environment's current first rail; if that rail does not know the
 * payment, this proves nothing (schedule.ts).
 */
export function railOrderOf(rails: RailRegistry, environment: Environment, payment: Payment): RailOrder | undefined {
  switch (payment.kind) {
    case 'bank_transfer': {
      const rail = rails.payout(environment, whichOf(payment))
      const bank = findBank(payment.bankSlug)
      if (rail.kind === 'missing' || bank === undefined) return undefined
      const { accountNumber, accountName } = payment
      return orderAt(rail.port, { ...commonOrder(payment), bank, accountNumber, accountName })
    }
    case 'momo_transfer': {
      const rail = rails.momoPayout(environment, whichOf(payment))
      const operator = findOperator(payment.operator)
      if (rail.kind === 'missing' || operator === undefined) return undefined
      const { phoneNumber, accountName } = payment
      const common = { ...commonOrder(payment), operator, accountName }
      if (phoneNumber !== null) return orderAt(rail.port, { ...common, phoneNumber })
      const { accountReference } = payment
      const accountNumber = present(payment.accountNumber, 'a payout without a phone number has an account number')
      return orderAt(rail.port, { ...common, phoneNumber, accountNumber, accountReference })
    }
    case 'momo_collection':
      return collectionOrderOf(rails, environment, payment)
  }
}

function whichOf({ rail }: Pick<Payment, 'rail'>): Which | undefined {
  return rail === null ? undefined : { rail }
}

type CollectionCall = RailOrder & { submitOtp(code: string): Promise<OtpAnswer> }

export function collectionOrderOf(
  rails: RailRegistry,
  environment: Environment,
  collection: MomoCollection,
): CollectionCall | undefined {
  const rail = rails.momoCollection(environment, whichOf(collection))
  const operator: RailOperator | undefined = findOperator(collection.operator)
  if (rail.kind === 'missing' || operator === undefined) return undefined
  const { port } = rail
  const order = {
    ...commonOrder(collection),
    operator,
    phoneNumber: collection.phoneNumber,
    accountName: collection.customerName,
    otpAcceptedAtMs: collection.otpAcceptedAt?.getTime() ?? null,
    expiresAtMs: collection.expiresAt.getTime(),
  }
  return { ...orderAt(port, order), submitOtp: (code) => guarded(() => port.submitOtp(order, code)) }
}

export type RailQueue = Pick<Payment, 'kind' | 'rail'>

/** The longest time that a submission can take; 0 without a rail. */
export function submitLeaseMsOf(rails: RailRegistry, environment: Environment, { kind, rail }: RailQueue): number {
  const answer = rails[kinds[kind].port](environment, whichOf({ rail }))
  return answer.kind === 'missing' ? 0 : answer.port.submitLeaseMs
}

export function submitLeaseMsMaxOf(rails: RailRegistry): number {
  return Math.max(
    0,
    ...environments.flatMap((environment) =>
      rails
        .namesOf(environment)
        .flatMap((rail) => paymentKinds.map((kind) => submitLeaseMsOf(rails, environment, { kind, rail }))),
    ),
  )
}

function orderAt<Order, State extends RailState>(port: Submission<Order, State>, order: Order): RailOrder {
  return {
    submit: (leaveBeforeMs) => guarded(() => port.submit({ ...order, leaveBeforeMs })),
    status: () => guarded(() => port.status(order)),
  }
}

function commonOrder(payment: Payment) {
  return {
    tenantId: payment.tenantId,
    railReference: railReferenceOf(payment.id),
    amount: payment.amount,
    currency: payment.currency,
    narration: payment.narration,
    submittedAtMs: (payment.submittedAt ?? payment.createdAt).getTime(),
  }
}

async function guarded<T>(call: () => Promise<T>): Promise<T | { kind: 'unknown'; detail: string }> {
  try {
    return await call()
  } catch (error) {
    return { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }
  }
}

// The answers of rails that explain why a payment took long. Most payments are first pending and then successful, and
// none of their answers is stored.

type TryRow = Try & { tenantId: Uuid; paymentId: Uuid }

const columns = 'tenant_id, payment_id, asked, answered, detail, first_at, last_at, times, milliseconds'

// Merges equal answers, because a batch may have the same answer twice: a postponed payment may be claimed again at
// once.
const add = statement(
  'payments.add_tries',
  `insert into rail_try (lane, ${columns})
   select $1, tenant_id, payment_id, asked, answered, max(detail), min(first_at), max(last_at), sum(times), max(milliseconds)
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[],
            $9::integer[], $10::integer[]) as v (${columns})
    group by tenant_id, payment_id, asked, answered
   on conflict (lane, tenant_id, payment_id, asked, answered) do update
     set detail = excluded.detail, last_at = greatest(rail_try.last_at, excluded.last_at),
         times = rail_try.times + excluded.times, milliseconds = excluded.milliseconds`,
)

function addTries(tx: Tx, rows: TryRow[]): void {
  if (rows.length === 0) return
  tx.send(add, [
    tx.lane,
    ...arraysOf(
      rows,
      'tenantId',
      'paymentId',
      'asked',
      'answered',
      'detail',
      'firstAt',
      'lastAt',
      'times',
      'milliseconds',
    ),
  ])
}

const ofPayment = statement(
  'payments.tries',
  `select asked, answered, detail, first_at as "firstAt", last_at as "lastAt", times, milliseconds from rail_try
    where lane = $1 and tenant_id = $2 and payment_id = $3 order by asked, answered`,
)

export function readTries(db: Queryable, tenant: Tenant, paymentId: Uuid): Promise<Try[]> {
  return db.query<Try>(ofPayment, [tenant.lane, tenant.id, paymentId])
}

/** An answer of a rail; repetitions are counted. */
export type Try = {
  asked: 'submit' | 'status'
  answered: RailState['kind'] | 'not-found'
  /** The text of an answer without a result; empty otherwise. */
  detail: string
  firstAt: Date
  lastAt: Date
  times: number
  /** Duration of the latest such call. */
  milliseconds: number
}

const detailLengthMax = 200

/** Wraps the calls, so that their answers are added to `tries`. */
export function noteAnswersOf(order: RailOrder, tries: Try[], clock: Clock): RailOrder {
  const asking = async <State extends RailState | { kind: 'not-found' }>(
    asked: Try['asked'],
    ask: () => Promise<State>,
  ): Promise<State> => {
    const [at, beganMs] = [new Date(clock.now()), clock.monotonicMs()]
    const state = await ask()
    note(tries, { asked, state, at, milliseconds: clock.monotonicMs() - beganMs })
    return state
  }
  return {
    submit: (leaveBeforeMs) => asking('submit', () => order.submit(leaveBeforeMs)),
    status: () => asking('status', order.status),
  }
}

type RailAnswer = { asked: Try['asked']; state: RailState | { kind: 'not-found' }; at: Date; milliseconds: number }

function note(tries: Try[], { asked, state, at, ...call }: RailAnswer): void {
  const detail = 'detail' in state ? state.detail.slice(0, detailLengthMax) : ''
  const milliseconds = Math.round(call.milliseconds)
  const known = tries.find((one) => one.asked === asked && one.answered === state.kind)
  if (known === undefined) {
    tries.push({ asked, answered: state.kind, detail, firstAt: at, lastAt: at, times: 1, milliseconds })
    return
  }
  Object.assign(known, { detail, lastAt: at, times: known.times + 1, milliseconds })
}

const plain: readonly Try['answered'][] = ['pending', 'otp-required', 'succeeded']

export function isWorthKeeping(tries: readonly Try[]): boolean {
  return tries.some(({ answered }) => !plain.includes(answered))
}

const key = Symbol('tries of this transaction')

export function keepTries(tx: Tx, { tenantId, id }: Pick<Payment, 'tenantId' | 'id'>, tries: readonly Try[]): void {
  const rows = tx.shared(key, () => {
    const gathered: Parameters<typeof addTries>[1] = []
    tx.beforeCommit(() => addTries(tx, gathered))
    return gathered
  })
  rows.push(...tries.map((one) => ({ ...one, tenantId, paymentId: id })))
}
