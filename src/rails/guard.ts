// A rail behind its breakers: while the machine of one of its ports fails, or its provider refuses us, nothing new is handed
// to that port, and payments wait instead of being tried one by one. Questions always go through: they move no money, and
// their answers tell how the machine is.

import { within, type Clock } from '#base/clock.ts'
import { createBreaker, type Breaker, type BreakerState, type Experience, type Opening } from './breaker.ts'
import type { CollectionOrder, PayoutOrder, MomoOrder, Rail, Submission, Unknown } from './rail.ts'
import { answerMsMax } from './time-limits.ts'

export const guardedPorts = ['payout', 'momoPayout', 'momoCollection'] as const

export type GuardedPort = (typeof guardedPorts)[number]

export type Guarded = {
  rail: Rail
  state(port: GuardedPort): BreakerState
  opening(port: GuardedPort): Opening | undefined
  isWell(port: GuardedPort): boolean
  /** Tries the ports whose rest is over by one call that moves no money. Resolves when that has ended; never throws. */
  probe(): Promise<void>
  /** Closes what is open. */
  reset(): void
}

/** How soon a payment that was held back is looked at again. */
const heldBackMs = 5_000

const heldBack: Unknown = {
  kind: 'unknown',
  detail: 'the rail fails or refuses us just now, and nothing new is handed to it',
  sent: false,
  askAgainAfterMs: heldBackMs,
  why: 'resting',
}

/** `onChange`: a breaker of this port has opened or closed. */
export function guard(rail: Rail, clock: Clock, onChange: (port: GuardedPort) => void = () => undefined): Guarded {
  const breakers: Record<GuardedPort, Breaker> = {
    payout: createBreaker(clock),
    momoPayout: createBreaker(clock),
    momoCollection: createBreaker(clock),
  }
  let probing = false

  /** Tells of a change, so that no caller of a breaker must remember to. */
  function noting(port: GuardedPort, note: (breaker: Breaker) => void): void {
    const before = breakers[port].opening()
    note(breakers[port])
    const after = breakers[port].opening()
    if (before?.cause !== after?.cause || before?.sinceMs !== after?.sinceMs) onChange(port)
  }

  const guarded: Rail = { ...rail }
  if (rail.payout !== undefined) guarded.payout = { ...rail.payout, ...behind('payout', rail.payout) }
  if (rail.momoPayout !== undefined)
    guarded.momoPayout = { ...rail.momoPayout, ...behind('momoPayout', rail.momoPayout) }
  if (rail.momoCollection !== undefined)
    guarded.momoCollection = { ...rail.momoCollection, ...behind('momoCollection', rail.momoCollection) }

  function behind<Order extends PayoutOrder | MomoOrder | CollectionOrder, State extends { kind: string }>(
    name: GuardedPort,
    port: Submission<Order, State>,
  ): Pick<Submission<Order, State | Unknown>, 'submit' | 'status'> {
    return {
      async submit(order) {
        if (!breakers[name].admits(port.submitLeaseMs)) return heldBack
        const state = await port.submit(order)
        const experience = experienceOf(state, order)
        if (experience !== undefined) noting(name, (breaker) => breaker.noteSubmission(experience))
        return state
      },
      async status(order) {
        const state = await port.status(order)
        const experience = experienceOf(state, order)
        if (experience !== undefined) noting(name, (breaker) => breaker.noteQuestion(experience, order.submittedAtMs))
        return state
      },
    }
  }

  return {
    rail: guarded,
    state: (port) => breakers[port].state(),
    opening: (port) => breakers[port].opening(),
    isWell: (port) => breakers[port].isWell(),
    async probe() {
      const ports = guardedPorts.filter((port) => breakers[port].wantsProbe())
      if (ports.length === 0 || probing) return
      probing = true
      const experience = await experienceOfFloat(rail)
      probing = false
      for (const port of ports) noting(port, (breaker) => breaker.noteProbe(experience))
    },
    reset: () => guardedPorts.forEach((port) => noting(port, (breaker) => breaker.reset())),
  }
}

/** A rail that tells no balance lets payments try. */
async function experienceOfFloat({ float }: Rail): Promise<Experience> {
  if (float === undefined) return { kind: 'word' }
  const asking = float.balance().catch(() => undefined)
  const answer = (await within(answerMsMax, asking)) ? await asking : undefined
  if (answer?.kind === 'known') return { kind: 'word' }
  const detail = answer?.detail ?? 'balance: no answer'
  return { kind: answer?.why === 'misconfigured' ? 'misconfigured' : 'fault', detail }
}

/** Undefined: the answer tells nothing about the provider. */
function experienceOf(
  state: { kind: string },
  order: PayoutOrder | MomoOrder | CollectionOrder,
): Experience | undefined {
  if (state.kind !== 'unknown') return { kind: 'word' }
  const { sent, why, askAgainAfterMs, detail } = state as Unknown
  if (why === 'misconfigured') return { kind: 'misconfigured', detail }
  if (why === 'refused') return { kind: 'refused', detail, payee: payeeOf(order) }
  if (why === 'float' || why === 'mismatch') return { kind: 'word' }
  // Its limit of calls, or our own.
  if (askAgainAfterMs !== undefined) return undefined
  return { kind: sent === false ? 'unreached' : 'fault', detail }
}

function payeeOf(order: PayoutOrder | MomoOrder | CollectionOrder): string {
  return 'bank' in order ? `${order.bank.slug} ${order.accountNumber}` : `${order.operator.slug} ${order.phoneNumber}`
}
