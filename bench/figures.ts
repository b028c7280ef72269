// Computes medians over the rounds, and the ratios in which they are compared.

import type { LoadResult } from './load.ts'

export type Round = LoadResult & {
  name: string
  rssBytes: number
  cpuMicros: number
  /** Null for a server that has no database. */
  databaseMicros: number | null
  walBytes: number | null
  waiting: number
}

/** Medians over the rounds. Memory and waiting work are the maximum instead, and failures are the sum. */
export type Figures = {
  requestsPerSecond: number
  medianMs: number
  p99Ms: number
  rssMegabytes: number
  /** The server's processor time; the load generator's does not count. */
  cpuMicrosPerRequest: number
  /** All of PostgreSQL's processor time in the round, for each request. Null if unknown; old results lack it. */
  databaseMicrosPerRequest?: number | null
  /** Bytes of the write-ahead log. Null for a server without a database; old results lack it. */
  walBytesPerRequest?: number | null
  /** The most units of work that were left at the end of a round. */
  waiting: number
  failures: number
  firstFailure: string | null
}

export function figuresOf(rounds: Round[]): Record<string, Figures> {
  const named = Map.groupBy(rounds, (round) => round.name)
  return Object.fromEntries([...named].map(([name, list]) => [name, mediansOf(list)]))
}

function mediansOf(rounds: Round[]): Figures {
  const median = (pick: (round: Round) => number): number => {
    const sorted = rounds.map(pick).toSorted((left, right) => left - right)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  const medianOrNull = (pick: (round: Round) => number | null): number | null =>
    rounds.some((round) => pick(round) === null) ? null : median((round) => (pick(round) ?? 0) / round.requests)
  return {
    requestsPerSecond: median((round) => round.requests / round.seconds),
    medianMs: median((round) => round.medianMs),
    p99Ms: median((round) => round.p99Ms),
    rssMegabytes: Math.max(...rounds.map((round) => round.rssBytes)) / 1024 / 1024,
    cpuMicrosPerRequest: median((round) => round.cpuMicros / round.requests),
    databaseMicrosPerRequest: medianOrNull(({ databaseMicros }) => databaseMicros),
    walBytesPerRequest: medianOrNull(({ walBytes }) => walBytes),
    waiting: Math.max(...rounds.map((round) => round.waiting)),
    failures: rounds.reduce((sum, round) => sum + round.failures, 0),
    firstFailure: rounds.find((round) => round.firstFailure !== null)?.firstFailure ?? null,
  }
}

export function ratio(figure: Figures | undefined, to: Figures | undefined): number {
  return figure === undefined || to === undefined ? 0 : figure.requestsPerSecond / to.requestsPerSecond
}

/**
 * The processor time of a request, server and PostgreSQL together, as a multiple of what the echo server spends on one.
 * Undefined for the echo server itself, and if one of the times is unknown.
 */
export function inEchoes(figure: Figures, echo: Figures | undefined): number | undefined {
  const { cpuMicrosPerRequest, databaseMicrosPerRequest } = figure
  if (echo === undefined || figure === echo || typeof databaseMicrosPerRequest !== 'number') return undefined
  return (cpuMicrosPerRequest + databaseMicrosPerRequest) / echo.cpuMicrosPerRequest
}
