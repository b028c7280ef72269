// The type of a scenario. Each file in bench/scenarios/ exports one as `scenario`: it prepares a fresh database, and has the
// requests to send and the targets to reach.

import type { Role } from '#app.ts'
import type { Context } from '#platform/context.ts'

/** What `request` needs to know of the database, as plain JSON, because the load generator is another process. */
export type Facts = Record<string, unknown>

export type BenchRequest = {
  method: 'GET' | 'POST'
  /** The path with the prefix of its environment, such as /staging/v1/balance. */
  path: string
  /** An API key. A request of the dashboard has headers instead. */
  key?: string
  headers?: Record<string, string>
  body?: unknown
}

/** Requests of other callers to the same service at the same time. A second load generator sends them. */
export type Beside<F> = {
  connections: number
  /**
   * The limit of all connections together. It keeps these requests, which are not measured, from using up the machine.
   */
  perSecondMost: number
  request: (facts: F, sequence: number) => BenchRequest
}

export type Rig = {
  ctx: Context
  /** The owner's address of the database, to load many rows. */
  ownerUrl: string
}

/** The progress of the work that follows the requests. */
export type Progress = { done: number; waiting: number }

/**
 * `figure` and `of` are the names of figures: `echo`, `service`, `naive`, a variant, or `followed` (see `progress`).
 */
export type Target = { figure: string; /** Only at this many connections. */ at?: number } & (
  | { of: string; atLeast: number }
  | { p99MsMost: number }
  | { megabytesMost: number }
  /** The work left at the end of a round, as the seconds that it takes at the round's rate. */
  | { secondsWaitingMost: number }
)

export type Scenario<F extends Facts = Facts> = {
  title: string
  /** The numbers of connections, each measured on its own. */
  connections: number[]
  prepare: (rig: Rig, say: (text: string) => void) => Promise<F>
  /**
   * Runs in the load generator. `sequence` never repeats within a run, so a reference made from it is unique. If the
   * function returns the same object again, the generator does not encode it a second time.
   */
  request: (facts: F, sequence: number) => BenchRequest
  /** Other requests to the same service, measured separately. */
  variants?: Record<string, (facts: F, sequence: number) => BenchRequest>
  /** The number of items in each request of `service` or a variant. Rates and costs are then for one item. */
  countsAs?: Record<string, number>
  /** The number of connections of a variant, if it differs from the others. */
  variantConnections?: Record<string, number>
  /** Requests of others while this variant is measured. The run prints their number; the service may refuse most of them. */
  beside?: Record<string, Beside<F>>
  /** How the service is started, if not in the usual way. */
  service?: { roles?: Role[]; settings?: Record<string, string> }
  /** Called before and after each of the service's rounds; the difference becomes the figure `followed`. */
  progress?: (rig: Rig, facts: F) => Promise<Progress>
  /** Throws an error if something is wrong after the load, such as a ledger whose proof fails. */
  verify?: (rig: Rig, facts: F) => Promise<void>
  /** True if bench/peers/naive.ts can answer these requests, so that it is measured too. */
  naive?: boolean
  /** The shortest round in seconds, for scenarios about sustained load. */
  secondsLeast?: number
  targets: Target[]
}

export function defineScenario<F extends Facts>(scenario: Scenario<F>): Scenario {
  // The type of the facts can be dropped, because a scenario gets only the facts of its own `prepare`.
  return scenario as unknown as Scenario
}
