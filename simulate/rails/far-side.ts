// A far side: the bank or operator that the rails of all instances lead to. It records each payment that reached it, once for
// each railReference. The checks compare the service's books with these records.

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
  /** For each railReference: the time of the last submission that may have been sent. */
  sentAtMs: Map<string, number>
  /** For each payee: the time of the last submission that may have been sent. */
  sentTo: Map<string, number>
  submissions: Map<string, number>
  questions: Map<string, number>
  codes: Map<string, { wrong: number; unheard: number; lost: number; hung: boolean }>
  /** What the service did that it must never do to a rail. */
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
