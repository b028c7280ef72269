// Whose payouts are paused, as a process remembers it: for less than a second, so that every process knows of a pause
// within that second, and acceptance asks a few times a second in place of once for each batch.

import type { Context, Tenant } from '#base/context.ts'
import { readPaused } from './sql-pauses.ts'

export type IsPaused = (tenant: Tenant) => boolean

export type PauseWatch = {
  /** As it was less than a second ago; a promise when the database must be asked. */
  now(): IsPaused | Promise<IsPaused>
}

const answerAgeMsMax = 900
const answerRefreshMs = 400

export function watchPauses(ctx: Context): PauseWatch {
  let known: { isPaused: IsPaused; askedAtMs: number; asking: boolean } | undefined

  async function ask(): Promise<IsPaused> {
    // The age counts from before the question: the answer may be as old as that.
    const askedAtMs = ctx.clock.now()
    const isPaused = await readIsPaused(ctx)
    known = { isPaused, askedAtMs, asking: false }
    return isPaused
  }

  return {
    now() {
      const answer = known
      const ageMs = answer === undefined ? Infinity : ctx.clock.now() - answer.askedAtMs
      // A clock that was set back makes an answer look young.
      if (answer === undefined || ageMs < 0 || ageMs >= answerAgeMsMax) return ask()
      if (ageMs >= answerRefreshMs && !answer.asking) {
        answer.asking = true
        ask().catch(() => (answer.asking = false)) // The next batch asks again and reports the failure.
      }
      return answer.isPaused
    },
  }
}

async function readIsPaused({ db }: Context): Promise<IsPaused> {
  const rows = await readPaused(db.readers)
  const environments = new Set(rows.flatMap(({ environment, tenantId }) => (tenantId === null ? [environment] : [])))
  const tenants = new Set(rows.map(({ tenantId }) => tenantId))
  return ({ id, environment }) => environments.has(environment) || tenants.has(id)
}
