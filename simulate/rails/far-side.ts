// A far side: a bank or an operator behind all rails that lead to it. It remembers what reached it, once for each
// railReference, and whether it paid. The service's books are compared with this truth.

import type { WorldTime } from '#simulate/clocks.ts'
import type { CodeFate, Fate } from './fate.ts'

export type Arrival = {
  railReference: string
  payee: string
  amount: bigint
  atMs: number
  /** The time at which the payer of a collection agreed with the right code. */
  agreedAtMs: number | undefined
}

export type FarSide = {
  name: string
  time: WorldTime
  arrivals: Map<string, Arrival>
  /** The time of the last submission of each railReference that may have left. */
  sentAtMs: Map<string, number>
  /** The time of the last such submission to each payee. */
  sentTo: Map<string, number>
  submissions: Map<string, number>
  questions: Map<string, number>
  codes: Map<string, { wrong: number; unheard: number; lost: number; hung: boolean }>
  /** Violations of what no caller may do. */
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

/** Adds one to a count and returns the count before. */
export function countOne(counts: Map<string, number>, key: string): number {
  const before = counts.get(key) ?? 0
  counts.set(key, before + 1)
  return before
}

/** The fate of each payee's payment. */
export type Fates = { payouts: Map<string, Fate>; collections: Map<string, CodeFate> }
