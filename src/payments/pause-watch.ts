// Whose payouts are paused, as a process remembers it: for less than a second, so that every process knows of a pause
// within that second, and acceptance asks a few times a second in place of once for each batch.

import type { Context, Tenant } from '#base/context.ts'
import { stillFresh, type Remembered } from '#base/fresh.ts'
import { readPaused } from './sql-pauses.ts'

export type IsPaused = (tenant: Tenant) => boolean

export type PauseWatch = {
  /** As it was less than a second ago; a promise when the database must be asked. */
  now(): IsPaused | Promise<IsPaused>
}

export function watchPauses(ctx: Context): PauseWatch {
  let known: Remembered<IsPaused> | undefined

  async function ask(): Promise<IsPaused> {
    const askedAtMs = ctx.clock.now()
    const isPaused = await readIsPaused(ctx)
    known = { value: isPaused, askedAtMs, asking: false }
    return isPaused
  }

  return {
    now() {
      const fresh = stillFresh(known, ctx.clock.now(), ask)
      return fresh === undefined ? ask() : fresh.value
    },
  }
}

async function readIsPaused({ db }: Context): Promise<IsPaused> {
  const rows = await readPaused(db.readers)
  const environments = new Set(rows.flatMap(({ environment, tenantId }) => (tenantId === null ? [environment] : [])))
  const tenants = new Set(rows.map(({ tenantId }) => tenantId))
  return ({ id, environment }) => environments.has(environment) || tenants.has(id)
}
