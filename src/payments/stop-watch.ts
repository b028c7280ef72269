// Which rails are stopped, as a process remembers it: for less than a second, so that no process hands anything to a rail a
// second after it was stopped. That a person resumed a rail is heard of in the same question.

import type { Context } from '#base/context.ts'
import { stillFresh, type Remembered } from '#base/fresh.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { readRailStates, type StateRow } from './sql-stops.ts'

export type StopWatch = {
  /** As it was less than a second ago; a promise when the database must be asked. */
  isStopped(rail: string): boolean | Promise<boolean>
  /** Sees to it that the next question needs no database: acceptance, which asks it anyway, hands payments on at once. */
  look(): void | Promise<unknown>
}

type Known = { stopped: Set<string>; resumed: Map<string, number> }

/** `rails`: told which are stopped, so that routes lead to others, and of each that was resumed since this process looked last. */
export function watchStops(ctx: Context, rails?: Pick<RailRegistry, 'forgiveRefusals' | 'avoid'>): StopWatch {
  let known: Remembered<Known> | undefined

  async function ask(): Promise<Known> {
    const askedAtMs = ctx.clock.now()
    const value = knownFrom(await readRailStates(ctx.db.readers))
    const before = known?.value.resumed
    known = { value, askedAtMs, asking: false }
    rails?.avoid(value.stopped)
    if (before === undefined) return value
    for (const [rail, atMs] of value.resumed) if (atMs > (before.get(rail) ?? 0)) rails?.forgiveRefusals(rail)
    return value
  }

  return {
    look: () => (stillFresh(known, ctx.clock.now(), ask) === undefined ? ask() : undefined),
    isStopped(rail) {
      const fresh = stillFresh(known, ctx.clock.now(), ask)
      return fresh === undefined ? ask().then(({ stopped }) => stopped.has(rail)) : fresh.value.stopped.has(rail)
    },
  }
}

/** A rail has one name in all environments. */
function knownFrom(rows: StateRow[]): Known {
  return {
    stopped: new Set(rows.filter(({ isStopped }) => isStopped).map(({ rail }) => rail)),
    resumed: new Map(rows.flatMap(({ rail, resumedAt }) => (resumedAt === null ? [] : [[rail, resumedAt.getTime()]]))),
  }
}
