// The notices room, as its doors see it: what rails tell by themselves is kept before it is answered, and worked on later.

import { environments, type Context, type Environment } from '#base/context.ts'
import { dayMs } from '#base/durations.ts'
import { lookAtScrape } from '#base/scrape.ts'
import type { SecretBox } from '#base/secret.ts'
import type { Believers } from './believe.ts'
import { noticeOutcomes } from './notice.ts'
import { judgeNotice, keepNotice, type Posted, type TokenOf } from './receive.ts'
import { deleteNotices, dropOldBodies, findOldest } from './sql.ts'
import { createWork, type Work } from './work.ts'

export type Notices = Work & {
  /** The rail of the environment that sends notices to this address: its name, or the one of its entry in RAILS_FILE. */
  railAt(environment: Environment, address: string): string | undefined
  /** Whether it is the word of the rail. */
  judge(posted: Posted): boolean
  /** Keeps what was judged to be genuine, and wakes the work on it. */
  keep(posted: Pick<Posted, 'environment' | 'rail' | 'rawBody'>): Promise<void>
  /** Counts one that was not looked at, because too many came. */
  turnAway(rail: string): void
  /** Drops bodies, and later the rest, of what nobody needs any more; resolves with how many. */
  prune(): Promise<number>
  /** What is called when there is work. */
  onWake(wake: () => void): void
}

/** `bodyDays`: for so long an operator can look up what a rail said. */
export type NoticesOptions = Believers & { box: SecretBox; tokenOf: TokenOf; bodyDays: number }

/** No provider repeats itself for longer, and what it repeats changes nothing anyway. */
const digestDays = 365
const prunedAtOnce = 500

export function createNotices(options: NoticesOptions): Notices {
  const { ctx, rails, box, bodyDays } = options
  const railAt: Notices['railAt'] = (environment, rail) => {
    const served = rails.inbound(environment, { rail })
    return served.kind === 'served' ? served.rail : undefined
  }
  let wake = (): void => undefined
  for (const environment of environments) {
    for (const rail of rails.namesOf(environment).filter((name) => railAt(environment, name) !== undefined))
      for (const outcome of noticeOutcomes) ctx.metrics.railNotices.inc({ rail, outcome }, 0)
  }
  exportAge(ctx)
  return {
    ...createWork(options, box),
    railAt,
    judge: (posted) => judgeNotice(options, posted),
    async keep(posted) {
      if (await keepNotice(options, posted)) wake()
    },
    turnAway: (rail) => ctx.metrics.railNotices.inc({ rail, outcome: 'turned-away' }),
    async prune() {
      const daysAgo = (days: number): Date => new Date(ctx.clock.now() - days * dayMs)
      const emptied = await dropOldBodies(ctx.db, daysAgo(bodyDays), prunedAtOnce)
      return emptied + (await deleteNotices(ctx.db, daysAgo(Math.max(bodyDays, digestDays)), prunedAtOnce))
    },
    onWake: (call) => void (wake = call),
  }
}

const countedMax = 10_000

/** Tells for how long the oldest notice has waited. */
function exportAge(ctx: Context): void {
  const { railNoticeAge } = ctx.metrics
  async function look(): Promise<void> {
    const oldest = await findOldest(ctx.db, countedMax)
    railNoticeAge.set(oldest === null ? 0 : Math.max(0, ctx.clock.now() - oldest.getTime()) / 1_000)
  }
  lookAtScrape(ctx, look, () => railNoticeAge.reset())
}
