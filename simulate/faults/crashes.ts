// Kills and restarts instances, kills PostgreSQL, and restarts instances with other rails, other names or more lanes.

import { startInTime, type Behind, type World } from '#simulate/world.ts'
import type { Chance } from '#simulate/seed.ts'
import { allRoads } from '#simulate/rails/rails-files.ts'
import type { Fault } from './fault.ts'

const lanesMax = 6

export const abortInstance: Fault = {
  name: 'instance died',
  weight: 3,
  under: 'crashes',
  async strike(world, chance) {
    const place = chance.below(world.members.length)
    await world.members[place]?.instance.abort()
    await startInTime(world, place)
  },
}

export const restartInstance: Fault = {
  name: 'instance started again',
  weight: 2,
  under: 'crashes',
  strike: (world, chance) => restart(world, chance.below(world.members.length)),
}

export const killDatabase: Fault = {
  name: 'PostgreSQL killed',
  weight: 1,
  under: 'kill-postgres',
  once: true,
  strike: async ({ database }) => void (await database.deaths.kill()),
}

/** Restarts an instance with another bank and other routes. Payments that it submitted before stay at their bank. */
export const changeRail: Fault = {
  name: 'rail changed',
  weight: 3,
  under: 'rail-change',
  async strike(world, chance) {
    const place = chance.below(world.members.length)
    const { first, other } = world.sides
    const sides = world.members[place]?.instance.sides[0] === first ? [other] : [first]
    await restart(world, place, { sides, roads: chance.pick(allRoads) })
  },
}

/** Restarts an instance with its rails renamed by `renamedFrom`, or with the first names again. The accounts stay the same. */
export const renameRail: Fault = {
  name: 'rails renamed',
  weight: 3,
  under: 'rail-names',
  async strike(world, chance) {
    const place = chance.below(world.members.length)
    const roads = world.members[place]?.instance.roads
    if (roads === undefined) return
    const { named, ...usual } = roads
    await restart(world, place, { roads: named === undefined ? { ...usual, named: 'anew' } : usual })
  },
}

/**
 * Starts an instance whose rails are renamed without `renamedFrom`. The service must refuse to start, because the
 * database knows the accounts of these rails under their old names.
 */
export const misnameRail: Fault = {
  name: 'rails misnamed',
  weight: 2,
  under: 'rail-names',
  async strike(world, chance) {
    const place = chance.below(world.members.length)
    const old = world.members[place]?.instance
    if (old === undefined || world.providers === undefined) return
    if ((await old.stop()) === Infinity) world.model.wrong.add(`${old.name} did not stop within a minute`)
    const { roads } = old
    const started = await world.join(place, { roads: { ...roads, named: 'wrongly' } }).then(
      () => true,
      () => false,
    )
    if (started) world.model.wrong.add('an instance started with the account of a provider under a name of another')
    if (started) await restart(world, place, { roads })
    else await startInTime(world, place, { roads })
  },
}

/**
 * Adds a lane and restarts the instances one after the other, as an operator would. Until its restart an instance
 * serves fewer lanes.
 */
export const addLanes: Fault = {
  name: 'lanes added',
  weight: 1,
  under: 'crashes',
  async strike(world, chance) {
    await raiseLanes(world, chance)
    for (let place = 0; place < world.members.length; place += 1) await restart(world, place)
  },
}

export const addLanesWhileServing: Fault = {
  name: 'lanes added while all serve',
  weight: 2,
  under: 'lanes-while-serving',
  strike: raiseLanes,
}

async function raiseLanes({ database, addTenant }: World, chance: Chance): Promise<void> {
  const more = `update installation set lanes = least(lanes + ${chance.between(1, 2)}, ${lanesMax})`
  await database.ask(more).catch(() => [])
  await addTenant().catch(() => undefined)
}

export async function restart(world: World, place: number, behind?: Behind): Promise<void> {
  const old = world.members[place]?.instance
  if (old === undefined) return
  if ((await old.stop()) === Infinity) world.model.wrong.add(`${old.name} did not stop within a minute`)
  await startInTime(world, place, behind)
}
