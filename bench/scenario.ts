// A scenario is one file in bench/scenarios/ that exports `scenario`. It prepares a fresh database, gives the requests
// to send, and the targets to reach.

import type { Role } from '#app.ts'
import type { Context } from '#platform/context.ts'

/** What `prepare` left in the database, as plain JSON, because the load generator is another process. */
export type Facts = Record<string, unknown>

export type BenchRequest = {
  method: 'GET' | 'POST'
  /** The path with the prefix of its environment, such as /staging/v1/balance. */
  path: string
  /** A key of the API; a request of the dashboard has headers in its place. */
  key?: string
  headers?: Record<string, string>
  body?: unknown
}

/** Requests of other callers to the same service at the same time, from a load generator of their own. */
export type Beside<F> = {
  connections: number
  /**
   * The limit of all its connections together, because these requests cost the machine too and are not what is
   * measured.
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

/** The names of figures: `echo`, `service`, `naive`, a variant, or `followed` (see `progress`). */
export type Target = { figure: string; /** Only at this many connections. */ at?: number } & (
  | { of: string; atLeast: number }
  | { p99MsMost: number }
  | { megabytesMost: number }
  /** Work left at the end of a round, in seconds of the round's rate. */
  | { secondsWaitingMost: number }
)

export type Scenario<F extends Facts = Facts> = {
  title: string
  /** The numbers of connections, each measured on its own. */
  connections: number[]
  prepare: (rig: Rig, say: (text: string) => void) => Promise<F>
  /**
   * Runs in the load generator. `sequence` never repeats within a run, so a reference made from it is unique. An object
   * that is returned again costs nothing; a new one is encoded.
   */
  request: (facts: F, sequence: number) => BenchRequest
  /** Other requests to the same service, measured separately. */
  variants?: Record<string, (facts: F, sequence: number) => BenchRequest>
  /**
   * How many requests one request of a figure counts as, if it asks for many things at once. Rates and times are for
   * one.
   */
  countsAs?: Record<string, number>
  /** The number of connections of a variant, if it differs from the others. */
  variantConnections?: Record<string, number>
  /**
   * Requests that others send while this variant is measured. The run reports them and does not judge them, because the
   * service may have to refuse most.
   */
  beside?: Record<string, Beside<F>>
  /** How the service is started, if not in the usual way. */
  service?: { roles?: Role[]; settings?: Record<string, string> }
  /** Called before and after each of the service's rounds; the difference becomes the figure `followed`. */
  progress?: (rig: Rig, facts: F) => Promise<Progress>
  /** Throws an error if something is wrong after the load, such as a ledger whose proof fails. */
  verify?: (rig: Rig, facts: F) => Promise<void>
  /** bench/peers/naive.ts can answer this scenario: a transaction per request on a pool of 16 connections. */
  naive?: boolean
  /** The least seconds of a round, for scenarios about sustained load. */
  secondsLeast?: number
  targets: Target[]
}

export function defineScenario<F extends Facts>(scenario: Scenario<F>): Scenario {
  // A scenario gets back the facts that its own `prepare` gave.
  return scenario as unknown as Scenario
}
