// What a world stands on: a PostgreSQL that all worlds of a run share, and a database of it for each. There are three kinds.

import type { PgBouncer } from '#tests/support/pgbouncer.ts'

export type WorldDatabase = {
  /** The ways to it that operators are told of; instances take them in turn. */
  serviceUrls: [string, ...string[]]
  /** As its owner, who sees everything; on one connection, which is opened anew when it was lost. */
  ask<R>(sql: string, values?: unknown[]): Promise<R[]>
  /** The same address through a PgBouncer of its own, in session mode; absent where none leads there. */
  startPooler?(): Promise<PgBouncer>
  /** For the wire of an instance. */
  newFolder(): Promise<string>
  deaths: Deaths
  /**
   * What all of its servers logged of this kind since it was made, each with the lines that belong to it. Statistics would be
   * lost with a crash, the log is not.
   */
  logged(pattern: RegExp): Promise<string[]>
  drop(): Promise<void>
}

export type Deaths = {
  /** With signal 9. Resolves when it may strike again, with what died. */
  kill(): Promise<string>
  /** Whom the next one strikes, where that is some lanes alone, and where their server listens. */
  strikes?(): Promise<Struck>
  /** How often in a world. Once: at a step that is drawn, as any other fault; else from the first to the last, whatever the steps are. */
  times: number
  /** In real time: it may take this long until a client can work with it, on a machine that does other things as well. */
  awayMsMax: number
}

export type Struck = { lanes: number[]; host: string; port: number }

export type Cluster = { create(name: string): Promise<WorldDatabase>; stop(): Promise<void> }

/** Those of the entries of a log that begin like this. */
export function entriesOf(log: string, pattern: RegExp): string[] {
  return log.split(beginning).filter((entry) => pattern.test(entry.slice(0, entry.indexOf('\n'))))
}

/** DETAIL, CONTEXT and STATEMENT belong to what stands before them. */
const beginning = /^(?=.*?\b(?:LOG|WARNING|ERROR|FATAL|PANIC): )/m
