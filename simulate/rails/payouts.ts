// Payouts of one instance, to the bank and to the mobile-money operator. The fate of the payee determines the answers to both.

import type {
  BankPayout,
  MomoPayoutOrder,
  MomoPayout,
  NotFound,
  PayoutOrder,
  PendingStatus,
  Unknown,
} from '#rails/rail.ts'
import type { Arrival } from './far-side.ts'
import type { Fate } from './fate.ts'
import { askOver, submitOver, type Way } from './submission.ts'

type FateOf = (payee: string) => Fate

/**
 * An answer that fits a payout to a bank and one to a wallet. It has no proof of payment, because the two kinds differ
 * in it: a session id, or the mobile operator's reference. `LIMIT_EXCEEDED` is a failure reason of both.
 */
type Word =
  | PendingStatus
  | { kind: 'succeeded'; askAgainAfterMs?: number }
  | { kind: 'failed'; reason: 'LIMIT_EXCEEDED' }
  | { kind: 'reversed' }

const submitLeaseMs = 1_000
const returnsAfterMs = 5_000

export function createPayouts(way: Way, fateOf: FateOf): { payout: BankPayout; momoPayout: MomoPayout } {
  /** How often the far side has reported a final status of each payment that contradicts itself. */
  const told = new Map<string, number>()

  function wordOn(arrival: Arrival, { ends, knowsAfterMs }: Fate): Word {
    const ageMs = way.side.time.now() - arrival.atMs
    if (ends === 'waits') return { kind: 'pending' }
    if (ageMs < knowsAfterMs) return { kind: 'pending', askAgainAfterMs: knowsAfterMs - ageMs }
    if (ends === 'fails') return { kind: 'failed', reason: 'LIMIT_EXCEEDED' }
    if (ends === 'succeeds') return { kind: 'succeeded' }
    const leftMs = knowsAfterMs + returnsAfterMs - ageMs
    if (ends === 'returns') return leftMs > 0 ? { kind: 'succeeded', askAgainAfterMs: leftMs } : { kind: 'reversed' }
    const before = told.get(arrival.railReference) ?? 0
    told.set(arrival.railReference, before + 1)
    return before === 0
      ? { kind: 'succeeded', askAgainAfterMs: returnsAfterMs }
      : { kind: 'failed', reason: 'LIMIT_EXCEEDED' }
  }

  async function submit(order: MomoPayoutOrder | PayoutOrder): Promise<Word | Unknown> {
    const known = keyed(order)
    const answer = await submitOver(way, known, fateOf(known.payee))
    return 'kind' in answer ? answer : wordOn(answer, fateOf(known.payee))
  }

  async function status(order: MomoPayoutOrder | PayoutOrder): Promise<Word | Unknown | NotFound> {
    const known = keyed(order)
    const answer = await askOver(way, known, fateOf(known.payee))
    return 'kind' in answer ? answer : wordOn(answer, fateOf(known.payee))
  }

  return {
    payout: {
      submitLeaseMs,
      submit: async (order) => proven(await submit(order), { sessionId: '9'.repeat(30) }),
      status: async (order) => proven(await status(order), { sessionId: '9'.repeat(30) }),
    },
    momoPayout: {
      submitLeaseMs,
      submit: async (order) => proven(await submit(order), { operatorReference: 'OPERATOR' }),
      status: async (order) => proven(await status(order), { operatorReference: 'OPERATOR' }),
    },
  }
}

function keyed(order: PayoutOrder | MomoPayoutOrder) {
  const { railReference, amount } = order
  return {
    railReference,
    amount,
    payee: 'accountNumber' in order ? order.accountNumber : order.phoneNumber,
  }
}

type Ended = { kind: 'succeeded'; askAgainAfterMs?: number } | { kind: 'reversed' }

function proven<W extends { kind: string }, P extends object>(
  word: W,
  proof: P,
): Exclude<W, Ended> | (Extract<W, Ended> & P) {
  return (word.kind === 'succeeded' || word.kind === 'reversed' ? { ...word, ...proof } : word) as
    | Exclude<W, Ended>
    | (Extract<W, Ended> & P)
}
