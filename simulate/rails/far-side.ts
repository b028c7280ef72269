// A bank, or an operator, as it is behind every rail that leads to it: what reached it, once for each railReference, and
// whether it paid. This is the truth that the service's books are held against.

import type { WorldTime } from '#simulate/clocks.ts'
import type { CodeFate, Fate } from './fate.ts'

export type Arrival = {
  railReference: string
  payee: string
  amount: bigint
  atMs: number
  /** Of a collection: when its payer agreed with the right code. */
  agreedAtMs: number | undefined
}

export type FarSide = {
  name: string
  time: WorldTime
  arrivals: Map<string, Arrival>
  /** When a submission was made last that may have left. */
  sentAtMs: Map<string, number>
  /** To whom, and when last. */
  sentTo: Map<string, number>
  submissions: Map<string, number>
  questions: Map<string, number>
  codes: Map<string, { wrong: number; unheard: number; lost: number; hung: boolean }>
  /** What no caller may do to it. */
  wrong: Set<string>
  take(order: { railReference: string; payee: string; amount: bigint }): Arrival
}

export function createFarSide(name: string, time: WorldTime, wrong: Set<string>): FarSide {
  const arrivals = new Map<string, Arrival>()
  return {
    name,
    time,
    arrivals,
    sentAtMs: new Map(),
    sentTo: new Map(),
    submissions: new Map(),
    questions: new Map(),
    codes: new Map(),
    wrong,
    take(order) {
      const known = arrivals.get(order.railReference)
      if (known !== undefined) {
        if (known.amount !== order.amount || known.payee !== order.payee)
          wrong.add(`${name} was asked for another payment under the railReference of ${known.payee}`)
        return known
      }
      const arrival: Arrival = { ...order, atMs: time.now(), agreedAtMs: undefined }
      arrivals.set(order.railReference, arrival)
      return arrival
    },
  }
}

/** Counts one more and returns how many there were before. */
export function countOne(counts: Map<string, number>, key: string): number {
  const before = counts.get(key) ?? 0
  counts.set(key, before + 1)
  return before
}

/** How each payee's payment goes. */
export type Fates = { payouts: Map<string, Fate>; collections: Map<string, CodeFate> }
