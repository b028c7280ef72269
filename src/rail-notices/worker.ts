// Notes what became of a notice: it is done, looked at again later, or given to a person.

import type { Deposits } from '#deposits/service.ts'
import { nextAskMs } from '#payments/execution/step.ts'
import type { Payments } from '#payments/service.ts'
import { within } from '#platform/clock.ts'
import { type Context, type Environment, environments } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { brief, Unavailable } from '#platform/errors.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { InboundAnswer, RailNotice } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { answerMsMax } from '#rails/time-limits.ts'
import { raise, settleExceptions } from '#review/raise.ts'
import { noticeName, type ClaimedNotice, openBody } from './notice.ts'
import { finishNotice, postponeNotice, claimNotices } from './queries.ts'

/** What could not be confirmed for so long wants a person. */
const stuckAfterMs = 72 * hourMs

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
  await postponeNotice(ctx.db, notice, { dueAt: new Date(nowMs + nextAskMs(notice.tries)), why })
  ctx.log.info({ notice: noticeName(notice), why }, 'a notice of a rail cannot be confirmed yet')
  return 'again'
}

/** One that could not be done before may have been stuck: it was sent again, or a person had it looked at. */
async function finish(ctx: Context, notice: ClaimedNotice): Promise<void> {
  if (notice.why === null) return void (await finishNotice(ctx.db, notice, null))
  await ctx.db.transaction(async (tx) => {
    await finishNotice(tx, notice, null)
    settleExceptions(ctx, tx, [{ kind: 'notice-stuck', subject: noticeName(notice), note: 'it was confirmed' }])
  })
}

async function giveUp(ctx: Context, notice: ClaimedNotice, why: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await finishNotice(tx, notice, why))) return
    raise(ctx, tx, {
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

// What follows from a notice. It is never more than a reason to ask: what it says of a payment its rail is asked about now,
// what it says of money that came was read again by the rail's own `read`. So it does no harm to believe the same notice
// twice, late, or in two processes.

/** `again`: it could not be confirmed now. `hopeless`: nobody will ever make sense of it. */
type Belief = { kind: 'done' } | { kind: 'again'; detail: string } | { kind: 'hopeless'; detail: string }

export type Believers = {
  ctx: Context
  rails: RailRegistry
  payments: Pick<Payments, 'hear'>
  deposits: Pick<Deposits, 'receive' | 'hearOfRefund'>
  laneNumbers: () => Promise<number[]>
}

type Told = { environment: Environment; rail: string; rawBody: Buffer }

async function believe(believers: Believers, { environment, rail, rawBody }: Told): Promise<Belief> {
  const served = believers.rails.inbound(environment, { rail })
  if (served.kind === 'missing') return { kind: 'again', detail: 'the rail is not configured' }
  const reading = served.port.read(rawBody)
  const answer: InboundAnswer = (await within(answerMsMax, reading))
    ? await reading
    : { kind: 'unavailable', detail: 'the rail did not answer in time' }
  if (answer.kind === 'unreadable') return { kind: 'hopeless', detail: 'its rail cannot read it' }
  if (answer.kind === 'unavailable') return { kind: 'again', detail: answer.detail }
  let belief: Belief = { kind: 'done' }
  for (const notice of answer.notices) {
    const one = await believeOne(believers, { environment, rail, notice })
    if (one.kind !== 'done') belief = one // The others are done all the same.
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
      // Its account was found, and is not there: it is being made at this moment.
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
      return { kind: 'again', detail: heard.detail }
    case 'unknown-payment':
      ctx.log.error({ environment, rail, railReference }, 'a rail told of a payment that is not ours; ask the provider')
      return { kind: 'done' }
  }
}

// The work on notices: claims due ones, oldest first, believes them, and notes what became of them. Each rail has a share of
// the hand of its own, so that one that hangs holds up no other. Who dies in between leaves a lease that ends.

/** Bodies of a rail that one process has in memory: 16 MiB at most. */
const inHandMax = 16
/** Reading it again and asking for one status, each within the limit of a call, and as much to write it down. */
const leaseMs = 3 * answerMsMax
/** A turn waits this long for slow rails. Their answers are awaited after that, too. */
const turnMsMax = 1_000

export type Work = {
  /** Takes up what is due at all rails; resolves with how much there was. */
  work(): Promise<number>
  /** Resolves when nothing is in hand any more, or after a while: what is left comes again when its lease ends. */
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

  /** Never rejects: what cannot be noted comes again. */
  async function take(notice: ClaimedNotice): Promise<void> {
    const { environment, rail } = notice
    try {
      const rawBody = openBody(box, notice)
      await noteBelief(ctx, notice, await believe(believers, { environment, rail, rawBody }))
    } catch (error) {
      const what = error instanceof Unavailable ? { error: brief(error) } : { err: error }
      ctx.log.warn(
        { notice: noticeName(notice), ...what },
        'a notice of a rail could not be taken up; it is tried again',
      )
      await noteBelief(ctx, notice, { kind: 'again', detail: brief(error) }).catch(() => undefined)
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
      await within(turnMsMax, Promise.all(taken))
      return taken.length
    },
    async release() {
      await within(answerMsMax, Promise.all([...hands.values()].flatMap((hand) => [...hand])))
    },
  }
}
