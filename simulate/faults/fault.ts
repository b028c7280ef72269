// A fault: something that happens to a world, drawn by chance.

import type { Chance } from '#simulate/seed.ts'
import type { SwitchName } from '#simulate/switches.ts'
import type { World } from '#simulate/world.ts'

export type Fault = {
  name: string
  /** How often, beside the others. */
  weight: number
  /** Undefined: always on. */
  under?: SwitchName
  /** At most once in a world, because it takes seconds of real time. */
  once?: boolean
  strike(world: World, chance: Chance): Promise<void>
}
