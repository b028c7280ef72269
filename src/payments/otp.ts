// One-time codes of collections. Counting and asking are apart: a code is counted in the lane before it is taken to the
// operator, without a transaction open, and what the operator said is recorded in the lane after that. Codes for one
// collection are taken one after the other, so that each is told how many are left. What is kept of the right one is a
// keyed hash, so that it can be recognised when it comes again; a code is never stored in the clear nor logged.

import { createHmac } from 'node:crypto'
import { present } from '#base/assert.ts'
import type { Context, Tenant } from '#base/context.ts'
import type { Lane } from '#base/lane.ts'
import { constantTimeEqual } from '#base/secret.ts'
import type { OtpAnswer } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { isCodeLate, otpTriesMax } from './code-move.ts'
import { guarded } from './guarded.ts'
import type { MomoCollection, Result } from './payment.ts'
import { collectionRailOf } from './rail-turn.ts'
import { reportContradiction } from './record.ts'
import { nextCollectionAskMs } from './schedule.ts'
import type { SettleOutcome, Settling } from './settle.ts'
import { createTurns } from './turns.ts'

export type OtpOutcome =
  | { kind: 'accepted'; payment: MomoCollection }
  /** With the last wrong one the collection has failed. */
  | { kind: 'wrong'; attemptsLeft: number }
  | { kind: 'expired' }
  | { kind: 'not-found' }
  | { kind: 'not-waiting'; payment: MomoCollection }
  /** The operator gave no answer, and the attempt does not count: the same code may be tried again. */
  | { kind: 'unavailable' }

export type CodeDeskOptions = {
  ctx: Context
  rails: RailRegistry
  laneOf: (lane: number) => Lane
  settling: Settling
  secretKey: Buffer
}

type Settle = (result: Result) => Promise<SettleOutcome>

/** How many codes for one collection may wait for their turn. Whoever sends more is guessing. */
const waitingMax = 32

export class CodeDesk {
  readonly #options: CodeDeskOptions
  readonly #turns = createTurns(waitingMax)

  constructor(options: CodeDeskOptions) {
    this.#options = options
  }

  async verify(tenant: Tenant, reference: string, code: string): Promise<OtpOutcome> {
    const turn = this.#turns.enter(`${tenant.id} ${reference}`, () => this.#take(tenant, reference, code))
    return turn ?? { kind: 'unavailable' }
  }

  async #take(tenant: Tenant, reference: string, code: string): Promise<OtpOutcome> {
    const { laneOf, settling } = this.#options
    const settle: Settle = (result) => laneOf(tenant.lane).submit(settling, { tenantId: tenant.id, reference, result })
    const counted = await settle({ kind: 'otp-tried' })
    if (counted.kind === 'not-found' || counted.payment.kind !== 'momo_collection') return { kind: 'not-found' }
    const collection = counted.payment
    if (counted.kind !== 'settled') return this.#refuse(collection, code)
    const answer = await this.#ask(tenant, collection, code)
    switch (answer.kind) {
      case 'accepted':
        return this.#accept(tenant, collection, code, answer.state, settle)
      case 'wrong':
        return heardWrong(collection, collectionIn(await settle({ kind: 'otp-wrong' })))
      case 'expired':
        await settle({ kind: 'otp-undecided' })
        return { kind: 'expired' }
      case 'not-waiting':
        return { kind: 'not-waiting', payment: collectionIn(await settle({ kind: 'otp-undecided' })) }
      case 'unknown':
        await settle({ kind: 'otp-undecided' })
        return { kind: 'unavailable' }
    }
  }

  async #ask({ environment }: Tenant, collection: MomoCollection, code: string): Promise<OtpAnswer> {
    const rail = collectionRailOf(this.#options.rails, environment, collection)
    if (rail === undefined) return { kind: 'unknown', detail: 'there is no rail any more' }
    return guarded(() => rail.port.submitOtp(rail.order, code))
  }

  async #accept(
    { environment }: Tenant,
    collection: MomoCollection,
    code: string,
    state: Extract<OtpAnswer, { kind: 'accepted' }>['state'],
    settle: Settle,
  ): Promise<OtpOutcome> {
    const hash = this.#hashOf(collection, code).toString('hex')
    const advisedMs = state.kind === 'pending' ? state.askAgainAfterMs : undefined
    const results: Result[] = [{ kind: 'otp-accepted', hash, lookAgainMs: advisedMs ?? nextCollectionAskMs(0) }]
    if (state.kind === 'succeeded' || state.kind === 'failed') results.push(state)
    const outcomes = await Promise.all(results.map(settle))
    const payment = collectionIn(present(outcomes.at(-1), 'what was settled has an outcome'))
    if (payment.otpAcceptedAt !== null) return { kind: 'accepted', payment }
    reportContradiction(this.#options.ctx, { payment, environment }, 'otp-accepted')
    return { kind: 'not-waiting', payment }
  }

  #refuse(collection: MomoCollection, code: string): OtpOutcome {
    const { status, failureReason, otpHash } = collection
    if (otpHash !== null && constantTimeEqual(Buffer.from(otpHash, 'hex'), this.#hashOf(collection, code)))
      return { kind: 'accepted', payment: collection }
    if (failureReason === 'OTP_EXPIRED') return { kind: 'expired' }
    if (status !== 'OTP_REQUIRED') return { kind: 'not-waiting', payment: collection }
    // Else other processes are asking about all codes that are left.
    return isCodeLate(collection, this.#options.ctx.clock.now()) ? { kind: 'expired' } : { kind: 'unavailable' }
  }

  #hashOf({ tenantId, id }: MomoCollection, code: string): Buffer {
    const { secretKey } = this.#options
    return createHmac('sha256', secretKey).update(`manilla one-time code ${tenantId} ${id} ${code}`).digest()
  }
}

function heardWrong(before: MomoCollection, after: MomoCollection): OtpOutcome {
  return after.otpWrong > before.otpWrong
    ? { kind: 'wrong', attemptsLeft: otpTriesMax - after.otpWrong }
    : { kind: 'not-waiting', payment: after }
}

/** Payments are never deleted, and never change their kind. */
function collectionIn(outcome: SettleOutcome): MomoCollection {
  const payment = outcome.kind === 'not-found' ? undefined : outcome.payment
  return present(payment?.kind === 'momo_collection' ? payment : undefined, 'a collection stays where it is')
}
