// What a process holds: payments under a lease, each taken step by step until it ends, is put down, or is given back.

import type { Context } from '#base/context.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { advance, type Held } from './advance.ts'
import type { Recorder } from './record.ts'

/** A step that would come this close to the end of the lease is left to the loop. */
const leaseMarginMs = 5_000

type Carried = { held: Held; timer: NodeJS.Timeout | undefined }

export type HandOptions = {
  ctx: Context
  rails: RailRegistry
  record: Recorder['record']
  /** The longest that a submission of this payment can take. */
  submitMs: (held: Held) => number
}

export class Hand {
  #options: HandOptions
  #carried = new Set<Carried>()
  #stepsUnderWay = 0
  #allStepsEnded = Promise.withResolvers<void>()
  #released = false

  constructor(options: HandOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#carried.size
  }

  /** Resolves after the first step. */
  hold(held: Held): Promise<void> {
    const carried: Carried = { held, timer: undefined }
    this.#carried.add(carried)
    return this.#go(carried)
  }

  /** Nothing new begins; what waits is given back. Resolves when every step under way has ended. */
  async release(): Promise<void> {
    this.#released = true
    if (this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
    await Promise.all([this.#giveBack(), this.#allStepsEnded.promise])
  }

  /** Whatever goes wrong, the row stays due at the end of its lease and is taken up again. */
  async #go(carried: Carried): Promise<void> {
    carried.timer = undefined
    this.#stepsUnderWay += 1
    try {
      await this.#step(carried)
    } catch (error) {
      this.#carried.delete(carried)
      const about = { payment: carried.held.payment.id, err: error }
      this.#options.ctx.log.warn(about, 'a payment could not be carried on; its lease will end')
    }
    this.#stepsUnderWay -= 1
    if (this.#released && this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
  }

  async #step(carried: Carried): Promise<void> {
    const { ctx, rails, record } = this.#options
    const { held } = carried
    const next = this.#isTooLate(held)
      ? ({ kind: 'wait', ms: 0, asks: held.payment.asks, unsent: true } as const)
      : await advance(ctx, rails, held)
    const staysInHand = next.kind === 'wait' && !next.unsent && next.putDown !== true && !this.#released
    if (staysInHand && ctx.clock.now() + next.ms <= held.leaseEnd.getTime() - leaseMarginMs) {
      const { payment } = held
      const after = payment.asks === next.asks ? payment : { ...payment, asks: next.asks }
      carried.held = { ...held, sentBefore: true, payment: after }
      carried.timer = setTimeout(() => void this.#go(carried), next.ms)
      return
    }
    this.#carried.delete(carried)
    await record(held, next)
  }

  /** So much of the lease has passed that a submission could outlive it. Nothing has left yet, and nothing should. */
  #isTooLate(held: Held): boolean {
    const { ctx, submitMs } = this.#options
    return !held.sentBefore && ctx.clock.now() + submitMs(held) > held.leaseEnd.getTime()
  }

  async #giveBack(): Promise<void> {
    const waiting = [...this.#carried].filter(({ timer }) => timer !== undefined)
    for (const carried of waiting) {
      clearTimeout(carried.timer)
      this.#carried.delete(carried)
    }
    const now = { kind: 'wait', ms: 0, unsent: false } as const
    const { record } = this.#options
    await Promise.allSettled(waiting.map(({ held }) => record(held, { ...now, asks: held.payment.asks })))
  }
}
