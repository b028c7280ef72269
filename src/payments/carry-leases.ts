// The payments that a process has leased: each goes on step by step until it ends, is put down, or is given back.

import { takeStep, type Leased } from './carry-step.ts'
import { recordStep } from './carry-record.ts'
import type { Means } from './means.ts'
import { submitLeaseMsOf } from './rail-order.ts'

/** A step that would come this close to the end of the lease is left to the loop. */
const leaseMarginMs = 5_000

/** The timer runs until the next step begins. */
type Carried = { leased: Leased; timer: NodeJS.Timeout | undefined }

export class Leases {
  #means: Means
  #carried = new Set<Carried>()
  #stepsUnderWay = 0
  #allStepsEnded = Promise.withResolvers<void>()
  #released = false

  constructor(means: Means) {
    this.#means = means
  }

  get size(): number {
    return this.#carried.size
  }

  /** Resolves after the first step. */
  carry(leased: Leased): Promise<void> {
    const carried: Carried = { leased, timer: undefined }
    this.#carried.add(carried)
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
      this.#carried.delete(carried)
      const about = { payment: carried.leased.payment.id, err: error }
      this.#means.ctx.log.warn(about, 'a payment step failed; another process takes it up when the lease ends')
    }
    this.#stepsUnderWay -= 1
    if (this.#released && this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
  }

  async #step(carried: Carried): Promise<void> {
    const { ctx, rails } = this.#means
    const { leased } = carried
    const next = this.#isTooLate(leased)
      ? ({ kind: 'wait', ms: 0, asks: leased.payment.asks, unsent: true } as const)
      : await takeStep(ctx, rails, leased)
    const isKept = next.kind === 'wait' && !next.unsent && next.putDown !== true && !this.#released
    if (isKept && ctx.clock.now() + next.ms <= leased.leaseEnd.getTime() - leaseMarginMs) {
      const { payment } = leased
      const after = payment.asks === next.asks ? payment : { ...payment, asks: next.asks }
      carried.leased = { ...leased, sentBefore: true, payment: after }
      carried.timer = setTimeout(() => void this.#go(carried), next.ms)
      return
    }
    this.#carried.delete(carried)
    await recordStep(this.#means, leased, next)
  }

  /** So much of the lease has passed that a submission could outlive it. Nothing has left yet, and nothing should. */
  #isTooLate({ payment, environment, sentBefore, leaseEnd }: Leased): boolean {
    const { ctx, rails } = this.#means
    return !sentBefore && ctx.clock.now() + submitLeaseMsOf(rails, environment, payment.kind) > leaseEnd.getTime()
  }

  async #giveBack(): Promise<void> {
    const waiting = [...this.#carried].filter(({ timer }) => timer !== undefined)
    for (const carried of waiting) {
      clearTimeout(carried.timer)
      this.#carried.delete(carried)
    }
    const now = { kind: 'wait', ms: 0, unsent: false } as const
    await Promise.allSettled(
      waiting.map(({ leased }) => recordStep(this.#means, leased, { ...now, asks: leased.payment.asks })),
    )
  }
}
