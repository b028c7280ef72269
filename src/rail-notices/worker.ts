// Processes stored notices: claims due ones, oldest first, applies them and records the outcome.

import type { Deposits } from '#deposits/service.ts'
import { nextAskMs } from '#payments/execution/schedule.ts'
import type { Payments } from '#payments/service.ts'
import { finishesWithin } from '#platform/concurrency.ts'
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

/**
 * A notice that stays unconfirmed for this long needs an operator. If the operator retries it, it gets two more tries,
 * because for a refund the first try only starts a question to the rail, and the second one sees the answer.
 */
const stuckAfterMs = 72 * hourMs
const limitPauseMsMin = secondMs

export async function recordOutcome(ctx: Context, notice: ClaimedNotice, outcome: NoticeOutcome): Promise<void> {
  const counted = await writeOutcome(ctx, notice, outcome)
  ctx.metrics.railNotices.inc({ rail: notice.rail, outcome: counted })
}

async function writeOutcome(
  ctx: Context,
  notice: ClaimedNotice,
  outcome: NoticeOutcome,
): Promise<'done' | 'again' | 'stuck'> {
  const nowMs = ctx.clock.now()
  if (outcome.kind === 'done') {
    await finish(ctx, notice)
    return 'done'
  }
  const why = outcome.detail
  // If a rate limit delayed the query, the notice was not tried, so it is not given up and the pause does not grow.
  const waitMs = outcome.kind === 'again' ? outcome.askAgainAfterMs : undefined
  const isOld = nowMs - notice.receivedAt.getTime() >= stuckAfterMs
  if (outcome.kind === 'hopeless' || (isOld && waitMs === undefined && notice.tries > 0)) {
    await giveUp(ctx, notice, why)
    return 'stuck'
  }
  const pauseMs = waitMs === undefined ? nextAskMs(notice.tries) : Math.max(waitMs, limitPauseMsMin)
  await postponeNotice(ctx.db, notice, { dueAt: new Date(nowMs + pauseMs), why, wasTried: waitMs === undefined })
  ctx.log.info({ notice: noticeName(notice), why }, 'rail notice cannot be confirmed yet')
  return 'again'
}

/**
 * A notice that failed before may have an open review item (`notice-stuck`): it was given up, and then the provider
 * sent it again or an operator retried it. Closes that item.
 */
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
      fact: `a notice of ${notice.rail} could not be confirmed: ${why}`,
      tenant: null,
      reference: '',
      currency: 'NGN',
      amount: null,
    })
  })
}

/**
 * `again`: the notice cannot be confirmed now; `askAgainAfterMs` is set if its rail was not asked because of a rate
 * limit. `hopeless`: the rail's adapter cannot read the notice.
 */
type NoticeOutcome =
  | { kind: 'done' }
  | { kind: 'again'; detail: string; askAgainAfterMs?: number | undefined }
  | { kind: 'hopeless'; detail: string }

export type NoticeMeans = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  deposits: Pick<Deposits, 'receive' | 'applyRefundNotice'>
  laneNumbers: () => Promise<number[]>
}

type ReceivedNotice = { environment: Environment; rail: string; rawBody: Buffer }

/**
 * Applies a notice, which is only a reason to ask the rail: a payment's status is queried now, and a deposit was
 * already queried by the rail's `read`. So a notice may be applied twice, late, or by two processes without harm.
 */
async function applyNotice(means: NoticeMeans, { environment, rail, rawBody }: ReceivedNotice): Promise<NoticeOutcome> {
  const served = means.rails.inbound(environment, { rail })
  if (served.kind === 'missing') return { kind: 'again', detail: 'the rail is not configured' }
  const reading = served.port.read(rawBody)
  const answer: InboundAnswer = (await finishesWithin(answerMsMax, reading))
    ? await reading
    : { kind: 'unavailable', detail: 'the rail did not answer in time' }
  if (answer.kind === 'unreadable') return { kind: 'hopeless', detail: 'its rail cannot read it' }
  if (answer.kind === 'unavailable')
    return { kind: 'again', detail: answer.detail, askAgainAfterMs: answer.askAgainAfterMs }
  let outcome: NoticeOutcome = { kind: 'done' }
  for (const notice of answer.notices) {
    const one = await applyOne(means, { environment, rail, notice })
    if (one.kind !== 'done') outcome = one // The other notices are applied anyway.
  }
  return outcome
}

type ReadNotice = { environment: Environment; rail: string; notice: RailNotice }

async function applyOne(means: NoticeMeans, { environment, rail, notice }: ReadNotice): Promise<NoticeOutcome> {
  const { ctx, deposits } = means
  switch (notice.about) {
    case 'payment':
      return applyPaymentNotice(means, { environment, rail, notice })
    case 'deposit': {
      const outcome = await deposits.receive(environment, notice.deposit)
      // `not-found`: the account has an owner but is still being created.
      return outcome.kind === 'not-found' ? { kind: 'again', detail: 'the account is not there yet' } : { kind: 'done' }
    }
    case 'refund':
      return (await deposits.applyRefundNotice(environment, notice)) === 'asked'
        ? { kind: 'again', detail: 'its rail is asked what became of the refund' }
        : { kind: 'done' }
    case 'other':
      ctx.log.info({ environment, rail, event: notice.name }, 'ignored rail notice')
      return { kind: 'done' }
  }
}

type ReadPaymentNotice = Omit<ReadNotice, 'notice'> & { notice: Extract<RailNotice, { about: 'payment' }> }

async function applyPaymentNotice(
  means: NoticeMeans,
  { environment, rail, notice }: ReadPaymentNotice,
): Promise<NoticeOutcome> {
  const { ctx, payments, laneNumbers } = means
  const { railReference, says } = notice
  const heard = await payments.hear({ environment, rail, railReference, says, lanes: await laneNumbers() })
  switch (heard.kind) {
    case 'settled':
    case 'unchanged':
      return { kind: 'done' }
    case 'unconfirmed':
      return { kind: 'again', detail: heard.detail }
    case 'unanswered':
      return { kind: 'again', detail: heard.detail, askAgainAfterMs: heard.askAgainAfterMs }
    case 'unknown-payment':
      ctx.log.error(
        { environment, rail, railReference },
        'rail notice about a payment that is not ours; ask the provider',
      )
      return { kind: 'done' }
  }
}

/**
 * A process works on at most this many notices of a rail at once. Their bodies of 1 MiB take 16 MiB at most. Each rail has its
 * own limit, so that a rail that hangs delays no other.
 */
const runningMax = 16
/**
 * Time to read the notice, to query one status, and to record the outcome, each within the limit of a call. If the
 * process dies, the lease ends and another process continues.
 */
const leaseMs = 3 * answerMsMax
/** A pass waits this long for slow rails; their runs continue after it. */
const turnMsMax = 1_000

export type Work = {
  work(): Promise<number>
  /**
   * Resolves when all runs have ended, or after a timeout; unfinished notices become due again when their leases end.
   */
  release(): Promise<void>
}

export function createWork(means: NoticeMeans, box: SecretBox): Work {
  const { ctx, rails } = means
  const running = new Map<string, Set<Promise<void>>>()

  async function workAt(environment: Environment, rail: string): Promise<Promise<void>[]> {
    const ofRail = running.get(rail) ?? new Set()
    running.set(rail, ofRail)
    const limit = runningMax - ofRail.size
    if (limit <= 0) return []
    const nowMs = ctx.clock.now()
    const leaseEnd = new Date(nowMs + leaseMs)
    const claimed = await claimNotices(ctx.db, { environment, rail, now: new Date(nowMs), leaseEnd, limit })
    return claimed.map((notice) => {
      const taken = processNotice(notice).finally(() => ofRail.delete(taken))
      ofRail.add(taken)
      return taken
    })
  }

  /** Never rejects: a notice whose outcome cannot be recorded becomes due again. */
  async function processNotice(notice: ClaimedNotice): Promise<void> {
    const { environment, rail } = notice
    try {
      const rawBody = openBody(box, notice)
      await recordOutcome(ctx, notice, await applyNotice(means, { environment, rail, rawBody }))
    } catch (error) {
      const what = error instanceof Unavailable ? { error: briefMessage(error) } : { err: error }
      ctx.log.warn({ notice: noticeName(notice), ...what }, 'could not process a rail notice; it is tried again')
      await recordOutcome(ctx, notice, { kind: 'again', detail: briefMessage(error) }).catch(() => undefined)
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
      await finishesWithin(answerMsMax, Promise.all([...running.values()].flatMap((ofRail) => [...ofRail])))
    },
  }
}
