// The notices room, as its doors see it: what rails tell by themselves is kept before it is answered, and worked on later.

import type { IncomingHttpHeaders } from 'node:http'
import { environments, type Context, type Environment } from '#platform/context.ts'
import { dayMs } from '#platform/durations.ts'
import { lookAtScrape } from '#platform/observability/scrape.ts'
import { type SecretBox, constantTimeEqual, sha256 } from '#platform/secrets.ts'
import type { InboundNotices } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { noticeOutcomes, digestOf, sealBody } from './notice.ts'
import { deleteNotices, dropOldBodies, findOldest, insertNotice } from './queries.ts'
import { type Believers, createWork, type Work } from './worker.ts'

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
type NoticesOptions = Believers & { box: SecretBox; tokenOf: TokenOf; bodyDays: number }

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

// Takes in what a rail sends. Nothing is done here but to see that it is the rail's word, and to keep it: whoever answers
// late is sent everything again, and whoever answers before it is kept loses it.

/** `token`: what stood behind the address. */
type Posted = {
  environment: Environment
  rail: string
  token: string | undefined
  headers: IncomingHttpHeaders
  rawBody: Buffer
}

/** What must stand behind the address of a rail that signs nothing. */
export type TokenOf = (rail: string) => string | undefined

type ReceiveOptions = { ctx: Context; rails: RailRegistry; box: SecretBox; tokenOf: TokenOf }

/** Whether it is the word of the rail. Counts what is not. */
function judgeNotice({ ctx, rails, tokenOf }: ReceiveOptions, posted: Posted): boolean {
  const { environment, rail } = posted
  const served = rails.inbound(environment, { rail })
  const isGenuine = served.kind === 'served' && isTrusted(served.port, tokenOf(rail), posted)
  if (!isGenuine) ctx.metrics.railNotices.inc({ rail, outcome: 'forged' })
  return isGenuine
}

/** Keeps one that is genuine. False: the same bytes are kept already. */
async function keepNotice(
  { ctx, box }: ReceiveOptions,
  { environment, rail, rawBody }: Pick<Posted, 'environment' | 'rail' | 'rawBody'>,
): Promise<boolean> {
  await box.requireCurrent()
  const key = { environment, rail, digest: digestOf(rawBody) }
  const isNew = await insertNotice(ctx.db, key, sealBody(box, key, rawBody), new Date(ctx.clock.now()))
  ctx.metrics.railNotices.inc({ rail, outcome: isNew ? 'stored' : 'repeated' })
  return isNew
}

function isTrusted(port: InboundNotices, expected: string | undefined, { headers, rawBody, token }: Posted): boolean {
  switch (port.verify(headers, rawBody)) {
    case 'genuine':
      return true
    case 'forged':
      return false
    case 'unsigned':
      // Hashed, so that not even the length shows.
      return expected !== undefined && constantTimeEqual(sha256(token ?? ''), sha256(expected))
  }
}
