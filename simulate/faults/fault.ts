// A fault: an event that harms a world, drawn by chance.

import type { Chance } from '#simulate/seed.ts'
import type { SwitchName } from '#simulate/switches.ts'
import type { World } from '#simulate/world.ts'

export type Fault = {
  name: string
  /** Its share among the faults. */
  weight: number
  /** The switch that turns the fault on. Undefined: it is always on. */
  under?: SwitchName
  /** Strikes at most once in a world, because it takes seconds of real time. */
  once?: boolean
  strike(world: World, chance: Chance): Promise<void>
}
