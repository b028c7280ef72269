// A rail behind its breakers: while the machine of one of its ports fails, nothing new is handed to that port, and payments
// wait instead of being tried one by one. Questions always go through: they move no money, and their answers tell how it is.

import type { Clock } from '#base/clock.ts'
import { createBreaker, type Breaker, type BreakerState, type Experience } from './breaker.ts'
import type { Rail, Submission, Unknown } from './rail.ts'

export const guardedPorts = ['payout', 'momoPayout', 'momoCollection'] as const

export type GuardedPort = (typeof guardedPorts)[number]

export type Guarded = {
  rail: Rail
  state(port: GuardedPort): BreakerState
  /** Closes what is open. */
  reset(): void
}

/** How soon a payment that was held back is looked at again. */
const heldBackMs = 5_000

const heldBack: Unknown = {
  kind: 'unknown',
  detail: 'the rail fails just now, and nothing new is handed to it',
  sent: false,
  askAgainAfterMs: heldBackMs,
  why: 'resting',
}

export function guard(rail: Rail, clock: Clock): Guarded {
  const breakers: Record<GuardedPort, Breaker> = {
    payout: createBreaker(clock),
    momoPayout: createBreaker(clock),
    momoCollection: createBreaker(clock),
  }
  const guarded: Rail = { ...rail }
  if (rail.payout !== undefined) guarded.payout = { ...rail.payout, ...behind(rail.payout, breakers.payout, rail) }
  if (rail.momoPayout !== undefined)
    guarded.momoPayout = { ...rail.momoPayout, ...behind(rail.momoPayout, breakers.momoPayout, rail) }
  if (rail.momoCollection !== undefined)
    guarded.momoCollection = { ...rail.momoCollection, ...behind(rail.momoCollection, breakers.momoCollection, rail) }
  return {
    rail: guarded,
    state: (port) => breakers[port].state(),
    reset: () => guardedPorts.forEach((port) => breakers[port].reset()),
  }
}

function behind<Order, State extends { kind: string }>(
  port: Submission<Order, State>,
  breaker: Breaker,
  { float }: Rail,
): Pick<Submission<Order, State | Unknown>, 'submit' | 'status'> {
  let trying = false

  /** After its rest one call that moves no money tells whether it is well again. */
  async function tryOut(): Promise<void> {
    if (float === undefined) return breaker.note('word')
    if (trying) return
    trying = true
    const answer = await float.balance().catch(() => undefined)
    trying = false
    breaker.note(answer?.kind === 'known' ? 'word' : 'fault')
  }

  return {
    async submit(order) {
      // No payment waits for that answer: when it comes its lease may be over, and another process have sent it.
      if (breaker.state() === 'half-open') void tryOut()
      if (breaker.state() !== 'closed') return heldBack
      const state = await port.submit(order)
      breaker.note(experienceOf(state))
      return state
    },
    async status(order) {
      const state = await port.status(order)
      breaker.note(experienceOf(state))
      return state
    },
  }
}

function experienceOf(state: { kind: string }): Experience {
  if (state.kind !== 'unknown') return 'word'
  const { sent, why, askAgainAfterMs } = state as Unknown
  if (why === 'misconfigured') return 'misconfigured'
  // The provider said so, or our own limit did: its machine is well.
  if (why === 'float' || askAgainAfterMs !== undefined) return 'word'
  return sent === false ? 'unreached' : 'fault'
}
