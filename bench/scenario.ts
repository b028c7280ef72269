// What a scenario is: one file in bench/scenarios/, exporting `scenario`. It prepares a fresh database, says which
// requests to send, and what must be reached.

import type { Role } from '#app.ts'
import type { Context } from '#platform/context.ts'

/** What the database holds after `prepare`, as plain JSON: the load generator is another process. */
export type Facts = Record<string, unknown>

export type BenchRequest = {
  method: 'GET' | 'POST'
  /** With the prefix of its environment, such as /staging/v1/balance. */
  path: string
  /** Of the API; a page of the dashboard has headers of its own in its place. */
  key?: string
  headers?: Record<string, string>
  body?: unknown
}

/** What others send to the same service meanwhile, from a load generator of their own. */
export type Beside<F> = {
  connections: number
  /** Of all connections together: what is sent beside costs the machine, too, and is not what is measured. */
  perSecondMost: number
  request: (facts: F, sequence: number) => BenchRequest
}

export type Rig = {
  ctx: Context
  /** For bulk loading, as the owner of the database. */
  ownerUrl: string
}

/** How far work that follows the requests has come. */
export type Progress = { done: number; waiting: number }

/** Figures are called `echo`, `service`, `naive`, by the name of a variant, or `followed` (see `progress`). */
export type Target = { figure: string; /** Only at this many connections. */ at?: number } & (
  | { of: string; atLeast: number }
  | { p99MsMost: number }
  | { megabytesMost: number }
  /** Work left at the end of a round, in seconds of what was done. */
  | { secondsWaitingMost: number }
)

export type Scenario<F extends Facts = Facts> = {
  title: string
  /** How many connections send at once; each number is measured on its own. */
  connections: number[]
  prepare: (rig: Rig, say: (text: string) => void) => Promise<F>
  /**
   * Runs in the load generator. `sequence` never repeats within a run, so that a reference made from it is unique.
   * Returning the same object again costs nothing; a new one is encoded anew.
   */
  request: (facts: F, sequence: number) => BenchRequest
  /** Other requests to the same service, measured beside it. */
  variants?: Record<string, (facts: F, sequence: number) => BenchRequest>
  /** As how many requests one of a figure is counted, where it asks for many things at once: rates and times are of one. */
  countsAs?: Record<string, number>
  /** Of a variant that is sent over another number of connections than the rest. */
  variantConnections?: Record<string, number>
  /** While this variant is measured. How it fares beside is said, and not judged: most of it may be meant to be refused. */
  beside?: Record<string, Beside<F>>
  /** How the service is started; the usual way when absent. */
  service?: { roles?: Role[]; settings?: Record<string, string> }
  /** Asked before and after each of the service's rounds: the difference becomes the figure `followed`. */
  progress?: (rig: Rig, facts: F) => Promise<Progress>
  /** What holds after the load, thrown as an error when it does not: such as a ledger that still proves. */
  verify?: (rig: Rig, facts: F) => Promise<void>
  /** The answer of bench/peers/naive.ts to this scenario: a transaction per request on a pool of 16 connections. */
  naive?: boolean
  /** Longer than asked for, where the point is to sustain. */
  secondsLeast?: number
  targets: Target[]
}

export function defineScenario<F extends Facts>(scenario: Scenario<F>): Scenario {
  // A scenario gets back exactly the facts that its own `prepare` gave.
  return scenario as unknown as Scenario
}
