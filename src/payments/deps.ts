// What this room carries payments with and settles them by.

import type { Context } from '#platform/context.ts'
import type { FirstSeen } from '#platform/first-seen.ts'
import type { Lanes } from '#platform/db/lane.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { FloatWatch } from './execution/float-balance.ts'
import type { PuttingDown } from './execution/record-step.ts'
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
