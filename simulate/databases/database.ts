// What a world needs of its database. All worlds of a run share one PostgreSQL, and each has a database of its own. There are
// three kinds: embedded.ts, patroni.ts and citus.ts.

import type { PgBouncer } from '#tests/support/pgbouncer.ts'

export type WorldDatabase = {
  /** The addresses of the database. Instances take them in turn. */
  serviceUrls: [string, ...string[]]
  /** Queries as the owner, who sees everything. */
  ask<R>(sql: string, values?: unknown[]): Promise<R[]>
  /** Starts a PgBouncer in session mode in front of the database. Undefined if this kind cannot use one. */
  startPooler?(): Promise<PgBouncer>
  /** Makes a folder for the sockets of an instance's proxy. */
  newFolder(): Promise<string>
  deaths: Deaths
  /**
   * Returns the matching log entries of all servers since the database was created, each with its detail lines. A crash
   * would lose PostgreSQL's statistics, but not its log.
   */
  logged(pattern: RegExp): Promise<string[]>
  drop(): Promise<void>
}

export type Deaths = {
  /** Kills a server with signal 9. Resolves with its name when the next one may be killed. */
  kill(): Promise<string>
  /**
   * Returns the lanes that the next death stops, and the address of their server. Undefined if a death stops all lanes.
   */
  strikes?(): Promise<StruckServer>
  /**
   * The number of deaths in a world. A single death happens at a random step, like any other fault; several are spread
   * over all steps.
   */
  times: number
  /** The longest real time before clients can work again, on a machine that has other work. */
  awayMsMax: number
}

export type StruckServer = { lanes: number[]; host: string; port: number }

export type Cluster = { create(name: string): Promise<WorldDatabase>; stop(): Promise<void> }

/** Returns the entries of a log whose first line matches. */
export function entriesOf(log: string, pattern: RegExp): string[] {
  return log.split(beginning).filter((entry) => pattern.test(entry.slice(0, entry.indexOf('\n'))))
}

/** The first line of an entry. Its DETAIL, CONTEXT and STATEMENT lines follow, up to the next entry. */
const beginning = /^(?=.*?\b(?:LOG|WARNING|ERROR|FATAL|PANIC): )/m
