// Notes what became of a notice: it is done, looked at again later, or given to a person.

import type { Context } from '#base/context.ts'
import { nextAskMs } from '#payments/carry-schedule.ts'
import type { Belief } from './believe.ts'
import type { ClaimedNotice } from './notice.ts'
import { finishNotice, postponeNotice } from './sql.ts'

/** What could not be confirmed for so long wants a person. */
const stuckAfterMs = 72 * 3_600_000

export async function noteBelief(ctx: Context, notice: ClaimedNotice, belief: Belief): Promise<void> {
  const outcome = await write(ctx, notice, belief)
  ctx.metrics.railNotices.inc({ rail: notice.rail, outcome })
}

async function write(ctx: Context, notice: ClaimedNotice, belief: Belief): Promise<'done' | 'again' | 'stuck'> {
  if (belief.kind === 'done') {
    await finishNotice(ctx.db, notice, 'done')
    return 'done'
  }
  const about = { ...namesOf(notice), why: belief.detail }
  const nowMs = ctx.clock.now()
  if (belief.kind === 'hopeless' || nowMs - notice.receivedAt.getTime() >= stuckAfterMs) {
    await finishNotice(ctx.db, notice, 'stuck')
    ctx.log.error(about, 'a notice of a rail is stuck; ask the provider')
    return 'stuck'
  }
  await postponeNotice(ctx.db, notice, new Date(nowMs + nextAskMs(notice.tries)))
  ctx.log.info(about, 'a notice of a rail cannot be confirmed yet')
  return 'again'
}

/** For the log: by its digest an operator finds the row. */
export function namesOf({ environment, rail, digest }: ClaimedNotice): Record<string, string> {
  return { environment, rail, notice: digest.toString('hex') }
}
