// What this room carries payments with and settles them by.

import type { Context } from '#base/context.ts'
import type { FirstSeen } from '#base/first-seen.ts'
import type { Lanes } from '#base/lane.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { FloatWatch } from './float-watch.ts'
import type { PuttingDown } from './put-down.ts'
import type { Settling } from './settle.ts'
import type { BrakeWatch } from './brakes.ts'

export type Means = {
  ctx: Context
  rails: RailRegistry
  stops: BrakeWatch
  floats: FloatWatch
  /** Payments that their rails do not show. */
  absences: FirstSeen
  /** For so long a payment waits for its rail's balance. */
  floatPatienceMs: number
  laneOf: Lanes['of']
  settling: Settling
  puttingDown: PuttingDown
}
