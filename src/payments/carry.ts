// Carrying payments from acceptance to their end. The process that accepts a payment keeps it in its hand: it sends it
// on and asks for the outcome without writing in between, under the lease that the row was born with. What takes
// longer than the lease, what is too much for the hand, and what a dead process held is taken up by the loop, which
// claims due rows. Both take the same steps (advance.ts), and both end in the lane.

import type { Context, Environment } from '#base/context.ts'
import type { Lane, Operation } from '#base/lane.ts'
import type { Tx } from '#base/db.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { advance, type Held, type Step } from './advance.ts'
import type { Payment } from './payment.ts'
import { settleOperation } from './settle.ts'
import { claimPayments, postponePayments, type Postponement } from './sql.ts'

export type Carrier = {
  /** How long the accepting process may keep a new payment; 0 when it should not. */
  keepMs(environment: Environment): number
  /** Takes a new payment in hand. Returns at once. */
  take(payment: Payment, environment: Environment): void
  /** Claims due payments of a lane and takes a step with each; resolves with how many there were. */
  work(lane: number): Promise<number>
  /** Gives back what is in hand, so that another process goes on with it at once. */
  release(): Promise<void>
}

export type CarrierOptions = { ctx: Context; rails: RailRegistry; laneOf: (lane: number) => Lane; carries: boolean }

const inHandMax = 20_000
const claimsMax = 512
/** A lease is longer than a submission can take by this much. */
const leaseSlackMs = 10_000
/** A step that would come this close to the end of the lease is left to the loop. */
const leaseMarginMs = 5_000

type Carried = { held: Held; leaseEndMs: number; timer: NodeJS.Timeout | undefined }

export function createCarrier({ ctx, rails, laneOf, carries }: CarrierOptions): Carrier {
  const settling = settleOperation(ctx)
  const inHand = new Set<Carried>()
  let released = false

  function leaseMs(environment: Environment): number {
    const answer = rails.payout(environment)
    return answer.kind === 'missing' ? leaseSlackMs : answer.port.submitLeaseMs + leaseSlackMs
  }

  async function step(carried: Carried): Promise<void> {
    carried.timer = undefined
    const { held } = carried
    const next = await advance(ctx, rails, held)
    if (next.kind !== 'wait') return finish(carried, next)
    const dueMs = ctx.clock.now() + next.ms
    if (released || next.unsent || dueMs > carried.leaseEndMs - leaseMarginMs) return putDown(carried, next, dueMs)
    carried.held = { ...held, sentBefore: true, payment: { ...held.payment, asks: next.asks } }
    carried.timer = setTimeout(() => void go(carried), next.ms)
  }

  /** Whatever goes wrong, the row stays due at the end of its lease and is taken up again. */
  async function go(carried: Carried): Promise<void> {
    try {
      await step(carried)
    } catch (error) {
      inHand.delete(carried)
      ctx.log.warn({ payment: carried.held.payment.id, err: error }, 'a payment could not be carried on; its lease will end')
    }
  }

  async function finish(carried: Carried, next: Exclude<Step, { kind: 'wait' }>): Promise<void> {
    inHand.delete(carried)
    const { payment } = carried.held
    const { lane, tenantId, reference } = payment
    if (next.kind === 'rest') {
      await laneOf(lane).submit(postponing, postponement(payment, null, false, 0))
      return
    }
    const commands = next.results.map((result) => ({ lane, tenantId, reference, result }))
    const outcomes = await Promise.all(commands.map((command) => laneOf(lane).submit(settling, command)))
    if (outcomes.some((outcome) => outcome.kind === 'impossible')) {
      ctx.metrics.paymentsContradicted.inc()
      ctx.log.error({ payment: payment.id, results: next.results }, 'a rail contradicts what a payment ended as; ask the provider')
      await laneOf(lane).submit(postponing, postponement(payment, null, false, 0))
    }
  }

  async function putDown(carried: Carried, next: Extract<Step, { kind: 'wait' }>, dueMs: number): Promise<void> {
    inHand.delete(carried)
    const { payment } = carried.held
    await laneOf(payment.lane).submit(postponing, postponement(payment, new Date(dueMs), next.unsent, next.asks))
  }

  return {
    keepMs: (environment) => (carries && !released && inHand.size < inHandMax ? leaseMs(environment) : 0),
    take(payment, environment) {
      const carried = { held: { payment, environment, sentBefore: false }, leaseEndMs: ctx.clock.now() + leaseMs(environment), timer: undefined }
      inHand.add(carried)
      void go(carried)
    },
    async work(lane) {
      const nowMs = ctx.clock.now()
      const leaseEndMs = nowMs + Math.max(leaseMs('staging'), leaseMs('production'))
      const claimed = await claimPayments(ctx.db, lane, new Date(nowMs), new Date(leaseEndMs), claimsMax)
      const carried = claimed.map((held): Carried => ({ held, leaseEndMs, timer: undefined }))
      for (const one of carried) inHand.add(one)
      await Promise.all(carried.map(go))
      return claimed.length
    },
    async release() {
      released = true
      const waiting = [...inHand].filter((carried) => carried.timer !== undefined)
      for (const { timer } of waiting) clearTimeout(timer)
      const now = new Date(ctx.clock.now())
      await Promise.allSettled(
        waiting.map(({ held: { payment } }) => laneOf(payment.lane).submit(postponing, postponement(payment, now, false, payment.asks))),
      )
    },
  }
}

function postponement(payment: Payment, dueAt: Date | null, unsent: boolean, asks: number): Postponement {
  const { lane, tenantId, reference, submittedAt } = payment
  return { lane, tenantId, reference, dueAt, asks, submittedAt: unsent ? null : submittedAt }
}

const postponing: Operation<Postponement, void> = {
  name: 'payments.postpone',
  patient: true,
  run(tx: Tx, rows: Postponement[]) {
    postponePayments(tx, rows[0]?.lane ?? 0, rows)
    return Promise.resolve(rows.map(() => undefined))
  },
}
