// Notes what became of a notice: it is done, looked at again later, or given to a person.

import type { Context } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import { raise, settleExceptions } from '#exceptions/raise.ts'
import { nextAskMs } from '#payments/carry-schedule.ts'
import type { Belief } from './believe.ts'
import { noticeName, type ClaimedNotice } from './notice.ts'
import { finishNotice, postponeNotice } from './sql.ts'

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
