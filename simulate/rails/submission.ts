// The calls of one instance to the far side. The fate of a payment says which submissions and answers are lost or late. Also
// checks that no instance submits a payment again while an earlier submission could still arrive.

import { absenceGraceMs } from '#rails/outcome.ts'
import type { NotFound, Unknown } from '#rails/rail.ts'
import type { Pulse } from '#simulate/timers.ts'
import { countOne, type Arrival, type FarSide } from './far-side.ts'
import type { CodeFate, Fate, Misfortune } from './fate.ts'

export type Way = { side: FarSide; pulse: Pulse; isQuiet: () => boolean }

type Order = { railReference: string; amount: bigint; payee: string; expiresAtMs?: number }

/** A submission arrives, or its answer is given up, after this time at the latest. */
const lateMs = 30_000
const lost: Unknown = { kind: 'unknown', detail: 'no answer in time' }

/** Submits a payment. Resolves with its arrival, or `unknown` if the answer is lost. */
export async function submitOver(way: Way, order: Order, fate: Fate | CodeFate): Promise<Arrival | Unknown> {
  const { side, pulse } = way
  if (pulse.state() === 'dead') return neverResolve()
  const before = countOne(side.submissions, order.railReference)
  const luck = fate.submissions[before] ?? 'answers'
  if (side.time.now() - (side.sentAtMs.get(order.railReference) ?? -Infinity) < absenceGraceMs)
    side.wrong.add(`${side.name}: the payment to ${order.payee} was sent again though it may have left before`)
  if (luck !== 'never-sent') {
    side.sentAtMs.set(order.railReference, side.time.now())
    side.sentTo.set(order.payee, side.time.now())
  }
  await pulse.awake()
  return meet(way, order, luck)
}

async function meet({ side, pulse, isQuiet }: Way, order: Order, luck: Misfortune): Promise<Arrival | Unknown> {
  const isOver = order.expiresAtMs !== undefined && side.time.now() >= order.expiresAtMs
  const take = (): Arrival | Unknown => (isOver ? lost : side.take(order))
  switch (luck) {
    case 'answers': {
      const arrival = take()
      await pulse.awake()
      return arrival
    }
    case 'answer-lost':
      take()
      await pulse.awake()
      return lost
    case 'throws':
      take()
      throw new Error('socket hang up')
    case 'lost-on-the-way':
      return lost
    case 'never-sent':
      return { ...lost, sent: false }
    case 'late':
      take()
      await passing(side, isQuiet() ? 0 : lateMs)
      await pulse.awake()
      return lost
    case 'arrives-late':
      side.time.after(lateMs, take)
      return lost
    case 'hangs':
      take()
      return neverResolve()
  }
}

/** Asks about a payment. `not-found` proves nothing, because a submission may arrive later. */
export async function askOver(way: Way, order: Order, fate: Fate | CodeFate): Promise<Arrival | Unknown | NotFound> {
  const { side, pulse, isQuiet } = way
  if (pulse.state() === 'dead') return neverResolve()
  await pulse.awake()
  const before = countOne(side.questions, order.railReference)
  const arrival = side.arrivals.get(order.railReference)
  if (fate.hangs && before === 0 && !isQuiet()) return neverResolve()
  await pulse.awake()
  if (before < fate.silences) return lost
  if (arrival !== undefined) return arrival
  return { kind: 'not-found' }
}

function passing(side: FarSide, ms: number): Promise<void> {
  return new Promise((resolve) => void side.time.after(ms, resolve))
}

export function neverResolve<T>(): Promise<T> {
  return new Promise<T>(() => undefined)
}
