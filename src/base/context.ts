// The ground under a room: what every use case may reach, and for whom. Passed as the first two arguments, never
// imported as values.

import type { Clock } from './clock.ts'
import type { Db } from './db.ts'
import type { Uuid } from './ids.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export type Context = {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Whose acts these are, unless somebody else is named. */
  by: Actor
}

/** Who did something: somebody at a terminal or in the dashboard, a program with a key, or the service of itself. */
export type Actor = { kind: 'terminal' | 'person' | 'key' | 'service'; name: string; address?: string | undefined }

export const theService: Actor = { kind: 'service', name: 'manilla' }

export const environments = ['staging', 'production'] as const
export type Environment = (typeof environments)[number]

/** A business in one environment: the owner of every row. Its rows live in one lane, for ever. */
export type Tenant = { lane: number; id: Uuid; environment: Environment }
