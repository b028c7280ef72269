// Lets time pass, and makes the clocks of instances and of PostgreSQL disagree.

import { anyMember, skewMsMax } from '#simulate/world.ts'
import { restart } from './crashes.ts'
import type { Fault } from './fault.ts'

export const timePasses: Fault = {
  name: 'time passed',
  weight: 8,
  async strike({ time }, chance) {
    time.advance(chance.pick([1_000, 5_000, 12_000, 31_000, 65_000, 130_000]))
  },
}

export const clockSlips: Fault = {
  name: 'clock slipped',
  weight: 3,
  async strike(world, chance) {
    anyMember(world, chance).instance.machine.aheadMs = chance.between(-skewMsMax, skewMsMax)
  },
}

const minute = 60_000

/**
 * Sets PostgreSQL's clock back. An instance that is running only slows its own clock down until both agree. An instance
 * that starts later takes PostgreSQL's time at once. So the fault also restarts an instance, which then disagrees with
 * the others.
 */
export const databaseClockSteps: Fault = {
  name: 'clock of PostgreSQL set back',
  weight: 4,
  under: 'database-clock',
  once: true,
  async strike(world, chance) {
    world.time.database.stepBack(60 * minute)
    await restart(world, chance.below(world.members.length))
  },
}

export const clockJumps: Fault = {
  name: 'clock jumped far',
  weight: 4,
  under: 'clocks',
  async strike(world, chance) {
    anyMember(world, chance).instance.machine.aheadMs = chance.pick([-60, -6, 6, 11, 60]) * minute
  },
}
