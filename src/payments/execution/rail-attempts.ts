// The SQL of what rails answered.

import type { Payment } from '#payments/payment.ts'
import type { Clock } from '#platform/clock.ts'
import type { Tenant } from '#platform/context.ts'
import { arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { RailOrder, RailState } from './rail-call.ts'

type TryRow = Try & { tenantId: Uuid; paymentId: Uuid }

const columns = 'tenant_id, payment_id, asked, answered, detail, first_at, last_at, times, milliseconds'

// The same answer may come twice in a batch: a payment that was put down is taken up again at once.
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

/** One payment has a handful. */
export function readTries(db: Queryable, tenant: Tenant, paymentId: Uuid): Promise<Try[]> {
  return db.query<Try>(ofPayment, [tenant.lane, tenant.id, paymentId])
}

// What a rail answered about a payment: kept for whoever asks later why it took so long. Most payments are under way and then
// done, and of those nothing is kept, so that they cost nothing more.

/** An answer; the same one again is counted. */
export type Try = {
  asked: 'submit' | 'status'
  answered: RailState['kind'] | 'not-found'
  /** The words of an answer that says nothing; empty otherwise. */
  detail: string
  firstAt: Date
  lastAt: Date
  times: number
  /** How long the latest such answer took. */
  milliseconds: number
}

const detailLengthMax = 200

/** The same order, whose answers are noted in `tries`. */
export function noted(order: RailOrder, tries: Try[], clock: Clock): RailOrder {
  const asking = async <State extends RailState | { kind: 'not-found' }>(
    asked: Try['asked'],
    ask: () => Promise<State>,
  ): Promise<State> => {
    const beganMs = clock.now()
    const state = await ask()
    note(tries, { asked, state, beganMs, endedMs: clock.now() })
    return state
  }
  return {
    submit: (leaveBeforeMs) => asking('submit', () => order.submit(leaveBeforeMs)),
    status: () => asking('status', order.status),
  }
}

type Answer = { asked: Try['asked']; state: RailState | { kind: 'not-found' }; beganMs: number; endedMs: number }

function note(tries: Try[], { asked, state, beganMs, endedMs }: Answer): void {
  const detail = 'detail' in state ? state.detail.slice(0, detailLengthMax) : ''
  const [at, milliseconds] = [new Date(beganMs), Math.max(0, endedMs - beganMs)]
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

/** Written with whatever the answers led to. */
export function keepTries(tx: Tx, { tenantId, id }: Pick<Payment, 'tenantId' | 'id'>, tries: readonly Try[]): void {
  const rows = tx.shared(key, () => {
    const gathered: Parameters<typeof addTries>[1] = []
    tx.beforeCommit(() => addTries(tx, gathered))
    return gathered
  })
  rows.push(...tries.map((one) => ({ ...one, tenantId, paymentId: id })))
}
