// Kills a server of a database that has several, as often as `Deaths.times` says. The next kill comes 30 to 70 steps after all
// servers are back, so that a majority is always left. Other faults strike meanwhile.

import type { Deaths } from '#simulate/databases/database.ts'
import type { World } from '#simulate/world.ts'
import type { Chance } from '#simulate/seed.ts'
import { killDatabase } from './crashes.ts'

export type DeathsUnderWay = {
  onStep(step: number): void
  /** Returns true if no more deaths will come and all servers are back, or a death has failed. */
  over(): boolean
  /** Resolves with the number of deaths when the last one is over. Rejects if one failed. */
  ended(): Promise<number>
}

const stepsBetween = { least: 30, most: 70 }

export function diesAgainAndAgain({ isOn, database }: Pick<World, 'isOn' | 'database'>): boolean {
  return isOn('kill-postgres') && database.deaths.times > 1
}

export function startDeaths(
  { times, kill }: Pick<Deaths, 'times' | 'kill'>,
  chance: Chance,
  say: (text: string) => void,
): DeathsUnderWay {
  const pause = (): number => chance.between(stepsBetween.least, stepsBetween.most)
  let [died, last, next] = [0, 0, pause()]
  let failure: { error: unknown } | undefined
  let dying: Promise<void> | undefined

  async function die(step: number): Promise<void> {
    const beganMs = performance.now()
    const what = await kill()
    died += 1
    next = last + pause()
    say(`step ${step} to ${last}: ${killDatabase.name}, ${what}, ${Math.round(performance.now() - beganMs)} ms`)
  }

  return {
    onStep(step) {
      last = step
      if (died >= times || dying !== undefined || failure !== undefined || step < next) return
      dying = die(step)
        .catch((error: unknown) => void (failure = { error }))
        .finally(() => (dying = undefined))
    },
    over: () => failure !== undefined || (died >= times && dying === undefined),
    async ended() {
      await dying
      if (failure !== undefined) throw failure.error
      return died
    },
  }
}
