// Draws the faults and their steps from random numbers of their own, so that a seed always gives the same faults at the
// same steps.

import type { Chance } from '#simulate/seed.ts'
import type { World } from '#simulate/world.ts'
import { cutConnections, loseCommit } from './connections.ts'
import {
  abortInstance,
  addLanes,
  addLanesWhileServing,
  changeRail,
  killDatabase,
  misnameRail,
  renameRail,
  restartInstance,
} from './crashes.ts'
import { diesAgainAndAgain } from './deaths.ts'
import type { Fault } from './fault.ts'
import { receiverTrouble } from './receivers.ts'
import { stallConnections, stallInstance } from './stalls.ts'
import { clockJumps, clockSlips, databaseClockSteps, timePasses } from './time.ts'

const faults: Fault[] = [
  cutConnections,
  loseCommit,
  stallInstance,
  stallConnections,
  abortInstance,
  restartInstance,
  killDatabase,
  changeRail,
  addLanes,
  addLanesWhileServing,
  timePasses,
  clockSlips,
  clockJumps,
  databaseClockSteps,
  renameRail,
  misnameRail,
  receiverTrouble,
]

const stepsBetween = 14

export type Planned = { step: number; fault: Fault; chance: Chance }

export function planFaults(world: World, chance: Chance): { next(): Planned } {
  const { isOn } = world
  let bag = faults
    .filter(({ under }) => under === undefined || isOn(under))
    .filter((fault) => fault !== killDatabase || !diesAgainAndAgain(world))
    .flatMap((fault) => Array<Fault>(fault.weight).fill(fault))
  let step = 0
  return {
    next() {
      step += chance.between(1, 2 * stepsBetween)
      const fault = chance.pick(bag)
      if (fault.once === true) bag = bag.filter((one) => one !== fault)
      return { step, fault, chance: chance.fork(`${step} ${fault.name}`) }
    },
  }
}
