// What a rail answered about a payment: kept for whoever asks later why it took so long. Most payments are under way and then
// done, and of those nothing is kept, so that they cost nothing more.

import type { Clock } from '#base/clock.ts'
import type { Tx } from '#base/db.ts'
import type { Payment } from './payment.ts'
import type { RailOrder, RailState } from './rail-order.ts'
import { addTries } from './sql-tries.ts'

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
