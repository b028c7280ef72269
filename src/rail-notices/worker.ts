// Processes stored notices: claims due ones, oldest first, applies them and records the outcome.

import type { Deposits } from '#deposits/service.ts'
import { nextAskMs } from '#payments/execution/schedule.ts'
import type { Payments } from '#payments/service.ts'
import { finishesWithin } from '#platform/clock.ts'
import { type Context, type Environment, environments } from '#platform/context.ts'
import { hourMs, secondMs } from '#platform/durations.ts'
import { briefMessage, Unavailable } from '#platform/errors.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { InboundAnswer, RailNotice } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { answerMsMax } from '#rails/time-limits.ts'
import { raiseReviewItem, closeReviewItems } from '#review/review-queue.ts'
import { noticeName, type ClaimedNotice, openBody } from './notice.ts'
import { finishNotice, postponeNotice, claimNotices } from './queries.ts'

/** A notice that stays unconfirmed for this long needs an operator. */
const stuckAfterMs = 72 * hourMs
/** Many notices may wait for the same limit. */
const limitPauseMsMin = secondMs

export async function noteBelief(ctx: Context, notice: ClaimedNotice, belief: Belief): Promise<void> {
  const outcome = await write(ctx, notice, belief)
  ctx.metrics.railNotices.inc({ rail: notice.rail, outcome })
}

async function write(ctx: Context, notice: ClaimedNotice, belief: Belief): Promise<'done' | 'again' | 'stuck'> {
  const nowMs = ctx.clock.now()
  const isOld = nowMs - notice.receivedAt.getTime() >= stuckAfterMs
  if (belief.kind === 'done') {
    await finish(ctx, notice)
    return 'done'
  }
  const why = belief.detail
  if (belief.kind === 'hopeless' || isOld) {
    await giveUp(ctx, notice, why)
    return 'stuck'
  }
  // If a rate limit delayed the question, the notice was not tested, so the pause does not grow.
  const waitMs = belief.askAgainAfterMs
  const pauseMs = waitMs === undefined ? nextAskMs(notice.tries) : Math.max(waitMs, limitPauseMsMin)
  await postponeNotice(ctx.db, notice, { dueAt: new Date(nowMs + pauseMs), why, wasTried: waitMs === undefined })
  ctx.log.info({ notice: noticeName(notice), why }, 'a notice of a rail cannot be confirmed yet')
  return 'again'
}

/** A notice with a failed attempt may have been stuck, and then sent again or retried by an operator. */
async function finish(ctx: Context, notice: ClaimedNotice): Promise<void> {
  if (notice.why === null) return void (await finishNotice(ctx.db, notice, null))
  await ctx.db.transaction(async (tx) => {
    await finishNotice(tx, notice, null)
    closeReviewItems(ctx, tx, [{ kind: 'notice-stuck', subject: noticeName(notice), note: 'it was confirmed' }])
  })
}

async function giveUp(ctx: Context, notice: ClaimedNotice, why: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await finishNotice(tx, notice, why))) return
    raiseReviewItem(ctx, tx, {
      kind: 'notice-stuck',
      environment: notice.environment,
      subject: noticeName(notice),
      fact: `what ${notice.rail} told could not be confirmed: ${why}`,
      tenant: null,
      reference: '',
      currency: 'NGN',
      amount: null,
    })
  })
}

/**
 * `again`: it cannot be confirmed now; `askAgainAfterMs` is set if its rail was not asked because of a limit of calls.
 * `hopeless`: no retry can make it readable.
 */
type Belief =
  | { kind: 'done' }
  | { kind: 'again'; detail: string; askAgainAfterMs?: number | undefined }
  | { kind: 'hopeless'; detail: string }

export type Believers = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  deposits: Pick<Deposits, 'receive' | 'hearOfRefund'>
  laneNumbers: () => Promise<number[]>
}

type Told = { environment: Environment; rail: string; rawBody: Buffer }

/**
 * Applies a notice, which is only a reason to ask: a payment's status is queried at its rail now, and the rail's own
 * `read` has read deposits again. So a notice may be applied twice, late, or by two processes without harm.
 */
async function believe(believers: Believers, { environment, rail, rawBody }: Told): Promise<Belief> {
  const served = believers.rails.inbound(environment, { rail })
  if (served.kind === 'missing') return { kind: 'again', detail: 'the rail is not configured' }
  const reading = served.port.read(rawBody)
  const answer: InboundAnswer = (await finishesWithin(answerMsMax, reading))
    ? await reading
    : { kind: 'unavailable', detail: 'the rail did not answer in time' }
  if (answer.kind === 'unreadable') return { kind: 'hopeless', detail: 'its rail cannot read it' }
  if (answer.kind === 'unavailable')
    return { kind: 'again', detail: answer.detail, askAgainAfterMs: answer.askAgainAfterMs }
  let belief: Belief = { kind: 'done' }
  for (const notice of answer.notices) {
    const one = await believeOne(believers, { environment, rail, notice })
    if (one.kind !== 'done') belief = one // The other notices are applied anyway.
  }
  return belief
}

type One = { environment: Environment; rail: string; notice: RailNotice }

async function believeOne(believers: Believers, { environment, rail, notice }: One): Promise<Belief> {
  const { ctx, deposits } = believers
  switch (notice.about) {
    case 'payment':
      return aboutPayment(believers, { environment, rail, notice })
    case 'deposit': {
      const outcome = await deposits.receive(environment, notice.deposit)
      // The account has an owner but is still being created.
      return outcome.kind === 'not-found' ? { kind: 'again', detail: 'the account is not there yet' } : { kind: 'done' }
    }
    case 'refund':
      return (await deposits.hearOfRefund(environment, notice)) === 'asked'
        ? { kind: 'again', detail: 'its rail is asked what became of the refund' }
        : { kind: 'done' }
    case 'other':
      ctx.log.info({ environment, rail, event: notice.name }, 'a rail told of something that needs nothing of us')
      return { kind: 'done' }
  }
}

type AboutPayment = Omit<One, 'notice'> & { notice: Extract<RailNotice, { about: 'payment' }> }

async function aboutPayment(believers: Believers, { environment, rail, notice }: AboutPayment): Promise<Belief> {
  const { ctx, payments, laneNumbers } = believers
  const { railReference, says } = notice
  const heard = await payments.hear({ environment, rail, railReference, says, lanes: await laneNumbers() })
  switch (heard.kind) {
    case 'settled':
    case 'unchanged':
      return { kind: 'done' }
    case 'unconfirmed':
      return { kind: 'again', detail: heard.detail, askAgainAfterMs: heard.askAgainAfterMs }
    case 'unknown-payment':
      ctx.log.error({ environment, rail, railReference }, 'a rail told of a payment that is not ours; ask the provider')
      return { kind: 'done' }
  }
}

/**
 * Bodies of a rail that a process has in memory: 16 MiB at most. Each rail has its own limit, so that a rail that
 * hangs delays no other.
 */
const inHandMax = 16
/**
 * Time to read the notice again and query one status, each within the limit of a call, and the same again to record
 * the outcome. If the process dies, the lease ends and another process continues.
 */
const leaseMs = 3 * answerMsMax
/** A pass waits this long for slow rails; their runs continue after it. */
const turnMsMax = 1_000

export type Work = {
  /** Starts due notices of all rails; resolves with how many were started. */
  work(): Promise<number>
  /**
   * Resolves when all runs have ended, or after a timeout; unfinished notices become due again when their leases end.
   */
  release(): Promise<void>
}

export function createWork(believers: Believers, box: SecretBox): Work {
  const { ctx, rails } = believers
  const hands = new Map<string, Set<Promise<void>>>()

  async function workAt(environment: Environment, rail: string): Promise<Promise<void>[]> {
    const hand = hands.get(rail) ?? new Set()
    hands.set(rail, hand)
    const limit = inHandMax - hand.size
    if (limit <= 0) return []
    const nowMs = ctx.clock.now()
    const leaseEnd = new Date(nowMs + leaseMs)
    const claimed = await claimNotices(ctx.db, { environment, rail, now: new Date(nowMs), leaseEnd, limit })
    return claimed.map((notice) => {
      const taken = take(notice).finally(() => hand.delete(taken))
      hand.add(taken)
      return taken
    })
  }

  /** Never rejects: a notice whose outcome cannot be recorded becomes due again. */
  async function take(notice: ClaimedNotice): Promise<void> {
    const { environment, rail } = notice
    try {
      const rawBody = openBody(box, notice)
      await noteBelief(ctx, notice, await believe(believers, { environment, rail, rawBody }))
    } catch (error) {
      const what = error instanceof Unavailable ? { error: briefMessage(error) } : { err: error }
      ctx.log.warn(
        { notice: noticeName(notice), ...what },
        'a notice of a rail could not be taken up; it is tried again',
      )
      await noteBelief(ctx, notice, { kind: 'again', detail: briefMessage(error) }).catch(() => undefined)
    }
  }

  return {
    async work() {
      const claims = environments.flatMap((environment) =>
        rails
          .namesOf(environment)
          .filter((rail) => rails.inbound(environment, { rail }).kind === 'served')
          .map((rail) => workAt(environment, rail)),
      )
      const taken = (await Promise.all(claims)).flat()
      await finishesWithin(turnMsMax, Promise.all(taken))
      return taken.length
    },
    async release() {
      await finishesWithin(answerMsMax, Promise.all([...hands.values()].flatMap((hand) => [...hand])))
    },
  }
}
