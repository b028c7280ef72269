// The database of a world: all worlds of a run share one PostgreSQL, and each has a database of its own. There are
// three kinds.

import type { PgBouncer } from '#tests/support/pgbouncer.ts'

export type WorldDatabase = {
  /** The addresses that an operator would be given. Instances take them in turn. */
  serviceUrls: [string, ...string[]]
  /** Queries as the owner, who sees everything, on one connection that is opened again when it was lost. */
  ask<R>(sql: string, values?: unknown[]): Promise<R[]>
  /** Starts a PgBouncer in session mode in front of the database. Absent where none can be used. */
  startPooler?(): Promise<PgBouncer>
  /** Makes a folder for the sockets of an instance's wire. */
  newFolder(): Promise<string>
  deaths: Deaths
  /**
   * Returns the log entries of all servers that match, each with its detail lines, since the database was made. The
   * statistics of PostgreSQL would be lost in a crash; the log is not.
   */
  logged(pattern: RegExp): Promise<string[]>
  drop(): Promise<void>
}

export type Deaths = {
  /** Kills with signal 9. Resolves with the victim when the next kill may follow. */
  kill(): Promise<string>
  /** The lanes that the next death stops, where it stops only some, and the address of their server. */
  strikes?(): Promise<Struck>
  /**
   * The number of deaths in a world. A single death happens at a random step, like any other fault; several are spread
   * over all steps.
   */
  times: number
  /** The longest real time before clients can work again, on a machine that has other work. */
  awayMsMax: number
}

export type Struck = { lanes: number[]; host: string; port: number }

export type Cluster = { create(name: string): Promise<WorldDatabase>; stop(): Promise<void> }

/** Returns the entries of a log whose first line matches. */
export function entriesOf(log: string, pattern: RegExp): string[] {
  return log.split(beginning).filter((entry) => pattern.test(entry.slice(0, entry.indexOf('\n'))))
}

/** An entry ends where the next one begins: its DETAIL, CONTEXT and STATEMENT lines follow it. */
const beginning = /^(?=.*?\b(?:LOG|WARNING|ERROR|FATAL|PANIC): )/m
