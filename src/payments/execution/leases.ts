// The hand of a process: the payments that it has leased. Each goes on step by step until it ends, is put down, or is given
// back. The hand has an end, and no rail may fill it: payments of a bank that hangs would stop those of all others.

import { present } from '#platform/assert.ts'
import type { Means } from '#payments/deps.ts'
import { takeStep, type Leased } from './step.ts'
import { recordStep } from './record-step.ts'
import type { Way } from './rail-call.ts'

/** A step that would come this close to the end of the lease is left to the loop. */
const leaseMarginMs = 5_000

/** The timer runs until the next step begins. */
type Carried = { leased: Leased; timer: NodeJS.Timeout | undefined }

export class Leases {
  #means: Means
  #inHandMax: number
  #carried = new Set<Carried>()
  #perWay = new Map<string, Way & { count: number }>()
  #stepsUnderWay = 0
  #allStepsEnded = Promise.withResolvers<void>()
  #released = false

  constructor(means: Means, inHandMax: number) {
    this.#means = means
    this.#inHandMax = inHandMax
  }

  /** How many more payments fit in. */
  get room(): number {
    return Math.max(0, this.#inHandMax - this.#carried.size)
  }

  /**
   * How many more of that kind at that rail may come in: they may have as much of the hand as they leave free. So one rail
   * alone can have half of it, two that hang a third each, and however many hang, there is room for the next. A fixed
   * quarter was too little for one healthy rail: 10 000 transfers a second that take a second each.
   */
  roomFor(way: Way): number {
    return this.#shareBeside(this.#perWay.get(keyOf(way))?.count ?? 0)
  }

  /** As many as that of a kind and a rail of which none is in hand. */
  get roomForNew(): number {
    return this.#shareBeside(0)
  }

  #shareBeside(held: number): number {
    return Math.max(0, Math.ceil((this.room - held) / 2))
  }

  /** The kinds and rails of what is in hand. */
  get ways(): Way[] {
    return [...this.#perWay.values()]
  }

  /** Resolves after the first step. */
  carry(leased: Leased): Promise<void> {
    const carried: Carried = { leased, timer: undefined }
    this.#hold(carried)
    return this.#go(carried)
  }

  /** No step begins any more; payments that wait for one are given back. Resolves when every step under way has ended. */
  async release(): Promise<void> {
    this.#released = true
    if (this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
    await Promise.all([this.#giveBack(), this.#allStepsEnded.promise])
  }

  /** Whatever goes wrong, the row stays due at the end of its lease, and the loop takes it up then. */
  async #go(carried: Carried): Promise<void> {
    carried.timer = undefined
    this.#stepsUnderWay += 1
    try {
      await this.#step(carried)
    } catch (error) {
      this.#drop(carried)
      const about = { payment: carried.leased.payment.id, err: error }
      this.#means.ctx.log.warn(about, 'a payment step failed; another process takes it up when the lease ends')
    }
    this.#stepsUnderWay -= 1
    if (this.#released && this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
  }

  async #step(carried: Carried): Promise<void> {
    const { ctx } = this.#means
    const { leased } = carried
    const next = await takeStep(this.#means, leased)
    const isKept = next.kind === 'wait' && !next.unsent && next.putDown !== true && !this.#released
    if (isKept && ctx.clock.monotonicMs() + next.ms <= leased.leaveBeforeMs - leaseMarginMs) {
      const { payment } = leased
      const after = payment.asks === next.asks ? payment : { ...payment, asks: next.asks }
      carried.leased = { ...leased, sentBefore: true, payment: after }
      carried.timer = setTimeout(() => void this.#go(carried), next.ms)
      return
    }
    this.#drop(carried)
    await recordStep(this.#means, leased, next)
  }

  #hold(carried: Carried): void {
    this.#carried.add(carried)
    const { kind, rail } = carried.leased.payment
    const key = keyOf({ kind, rail })
    const way = this.#perWay.get(key)
    if (way === undefined) this.#perWay.set(key, { kind, rail, count: 1 })
    else way.count += 1
  }

  /** A step that fails while its end is written has been dropped already. */
  #drop(carried: Carried): void {
    if (!this.#carried.delete(carried)) return
    const key = keyOf(carried.leased.payment)
    const way = present(this.#perWay.get(key), 'what is in hand is counted')
    if (way.count === 1) this.#perWay.delete(key)
    else way.count -= 1
  }

  async #giveBack(): Promise<void> {
    const waiting = [...this.#carried].filter(({ timer }) => timer !== undefined)
    for (const carried of waiting) {
      clearTimeout(carried.timer)
      this.#drop(carried)
    }
    const now = { kind: 'wait', ms: 0, unsent: false } as const
    await Promise.allSettled(
      waiting.map(({ leased }) => recordStep(this.#means, leased, { ...now, asks: leased.payment.asks })),
    )
  }
}

function keyOf({ kind, rail }: Way): string {
  return `${kind} ${rail ?? ''}`
}
