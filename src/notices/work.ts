// The work on notices: claims due ones, oldest first, believes them, and notes what became of them. Each rail has a share of
// the hand of its own, so that one that hangs holds up no other. Who dies in between leaves a lease that ends.

import { within } from '#base/clock.ts'
import { environments, type Environment } from '#base/context.ts'
import { brief, Unavailable } from '#base/error.ts'
import type { SecretBox } from '#base/secret.ts'
import { answerMsMax } from '#rails/time-limits.ts'
import { believe, type Believers } from './believe.ts'
import { noteBelief } from './note.ts'
import { noticeName, openBody, type ClaimedNotice } from './notice.ts'
import { claimNotices } from './sql.ts'

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
