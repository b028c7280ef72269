// Of a database that has several servers one dies as often as it says, whatever the steps are: the next one only once all are back
// and so much more was done, so that a majority is left. Other faults go on striking meanwhile.

import type { Deaths } from '#simulate/databases/database.ts'
import type { World } from '#simulate/world.ts'
import type { Chance } from '#simulate/seed.ts'
import { killDatabase } from './crashes.ts'

export type DeathsUnderWay = {
  onStep(step: number): void
  /** No more will come, and all servers are back. */
  over(): boolean
  /** Resolves with how many there were. */
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
