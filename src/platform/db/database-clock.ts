// All processes use the time of the database. Each process reads it every few seconds and counts on with its monotonic
// clock in between, so the machine's own clock does not matter. Leases, deadlines and the order of lists therefore mean
// the same in every process (docs/adr/0015-one-clock.md).

import { assert, present } from '#platform/assert.ts'
import { systemClock, type Clock } from '#platform/clock.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { statement, type Queryable } from './db.ts'

/** The only SQL that reads a clock. Elsewhere the time is a parameter, so that a test can stop it. */
export const databaseTimeMs = '(extract(epoch from clock_timestamp()) * 1000)::float8'

const readTime = statement('base.time', `select ${databaseTimeMs} as "timeMs"`)

export async function readDatabaseTime(db: Queryable): Promise<number> {
  const [row] = await db.query<{ timeMs: number }>(readTime)
  return present(row, 'the database tells its time').timeMs
}

export type DatabaseClock = Clock & {
  /** Resolves once the time is known. Before that, `now()` throws. */
  start(): Promise<void>
  stop(): Promise<void>
  /**
   * A clock that goes back at once when the clock of the database is set back, instead of running slower for a while.
   */
  unslowed: Clock
}

export type DatabaseClockOptions = {
  readTimeMs: () => Promise<number>
  log: Log
  metrics: Metrics
  machine?: Clock | undefined
}

const everyMs = 5_000
/**
 * A larger step means that the clock was set, or that another machine took over: clocks that NTP keeps in step differ
 * by far less.
 */
const stepMsMin = 2_000

export function createDatabaseClock(options: DatabaseClockOptions): DatabaseClock {
  const { readTimeMs, log, metrics, machine = systemClock } = options
  let anchor: Anchor | undefined
  let timer: NodeJS.Timeout | undefined
  let reading = Promise.resolve()
  let stopped = false

  async function read(): Promise<void> {
    const askedAtMs = machine.monotonicMs()
    const earliestMs = await readTimeMs()
    const atMs = machine.monotonicMs()
    const { stepMs, ...next } = correctAnchor(anchor, { atMs, earliestMs, latestMs: earliestMs + atMs - askedAtMs })
    anchor = next
    metrics.clockOffset.set((machine.now() - next.databaseMs) / 1_000)
    if (Math.abs(stepMs) < stepMsMin) return
    metrics.databaseClockSteps.inc()
    log.error({ seconds: stepMs / 1_000 }, 'database clock jumped, or a failover to another machine happened')
  }

  function schedule(): void {
    timer = setTimeout(() => {
      // After a failed read, the process counts on with its monotonic clock, which is accurate enough for hours.
      reading = read()
        .catch((error: unknown) => log.debug({ err: error }, 'could not read the database clock'))
        .then(() => (stopped ? undefined : schedule()))
    }, everyMs)
    timer.unref()
  }

  function readAnchor(): Anchor {
    assert(anchor !== undefined, 'the time was asked for before it was read')
    return anchor
  }

  const monotonicMs = (): number => machine.monotonicMs()
  return {
    now: () => Math.floor(timeAt(readAnchor(), monotonicMs())),
    monotonicMs,
    unslowed: { now: () => Math.floor(databaseTimeAt(readAnchor(), monotonicMs())), monotonicMs },
    async start() {
      await read()
      schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await reading
    },
  }
}

/**
 * When the monotonic clock showed `atMs`, the database showed `databaseMs`, and this clock was `aheadMs` ahead of the
 * database.
 */
export type Anchor = { atMs: number; databaseMs: number; aheadMs: number }

/** The round trip ended at `atMs`. The time of the database was then between `earliestMs` and `latestMs`. */
export type ClockReading = { atMs: number; earliestMs: number; latestMs: number }

/** A clock that is ahead runs at half speed until it is not, so that it never goes back. */
const slowing = 1 / 2

export function timeAt(anchor: Anchor, monotonicMs: number): number {
  const elapsedMs = monotonicMs - anchor.atMs
  return databaseTimeAt(anchor, monotonicMs) + Math.max(0, anchor.aheadMs - elapsedMs * slowing)
}

function databaseTimeAt({ atMs, databaseMs }: Anchor, monotonicMs: number): number {
  return databaseMs + monotonicMs - atMs
}

/**
 * Corrects the expected time only as far as needed to lie within the limits of the reading, because a slow response
 * leaves wide limits. `stepMs` is that correction.
 */
export function correctAnchor(anchor: Anchor | undefined, reading: ClockReading): Anchor & { stepMs: number } {
  const { atMs, earliestMs, latestMs } = reading
  if (anchor === undefined) return { atMs, databaseMs: (earliestMs + latestMs) / 2, aheadMs: 0, stepMs: 0 }
  const expectedMs = databaseTimeAt(anchor, atMs)
  const databaseMs = Math.min(Math.max(expectedMs, earliestMs), latestMs)
  const aheadMs = Math.max(0, timeAt(anchor, atMs) - databaseMs)
  return { atMs, databaseMs, aheadMs, stepMs: databaseMs - expectedMs }
}
