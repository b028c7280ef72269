import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createQuotaCounter, windowMs } from '#businesses/quota.ts'
import type { Clock } from '#platform/clock.ts'
import {
  createDatabaseClock,
  correctAnchor,
  readDatabaseTime,
  timeAt,
  type Anchor,
} from '#platform/db/database-clock.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const database = await useTestDatabase()
const startMs = Date.parse('2026-01-15T09:30:00.000Z')
const hourMs = 3_600_000

/** The true time, and how far the clocks of the database and of this machine are off. */
let passedMs: number
let databaseAheadMs: number
let machineAheadMs: number
let tripMs: number
let lines: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  passedMs = databaseAheadMs = machineAheadMs = tripMs = 0
  lines = []
})

afterEach(() => vi.useRealTimers())

const machine: Clock = { now: () => startMs + passedMs + machineAheadMs, monotonicMs: () => 7 + passedMs }
const databaseMs = (): number => startMs + passedMs + databaseAheadMs

function readTimeMs(): Promise<number> {
  passedMs += tripMs / 2
  const timeMs = databaseMs()
  passedMs += tripMs / 2
  return Promise.resolve(timeMs)
}

function createClock(read = readTimeMs) {
  const metrics = createMetrics()
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
  return { metrics, ...createDatabaseClock({ readTimeMs: read, log, metrics, machine }) }
}

async function pass(ms: number): Promise<void> {
  passedMs += ms
  await vi.advanceTimersByTimeAsync(ms)
}

describe('the time of a process', () => {
  it('is the time of a real database, within the round trip, whatever the clock of the machine says', async () => {
    const db = database.connect()
    const real: Clock = { now: () => 0, monotonicMs: () => performance.now() }
    const log = createLog({ level: 'silent', format: 'json', write: () => undefined })
    await readDatabaseTime(db)
    const metrics = createMetrics()
    const clock = createDatabaseClock({ readTimeMs: () => readDatabaseTime(db), log, metrics, machine: real })
    const askedAt = performance.now()
    await clock.start()
    const tripMsMax = performance.now() - askedAt
    const beforeMs = await readDatabaseTime(db)
    const nowMs = clock.now()
    const afterMs = await readDatabaseTime(db)
    await clock.stop()
    expect(nowMs).toBeGreaterThanOrEqual(Math.floor(beforeMs - tripMsMax))
    expect(nowMs).toBeLessThanOrEqual(afterMs + tripMsMax)
  })

  it('is unknown until the database answers, and a start without an answer fails', async () => {
    expect(() => createClock().now()).toThrow('the time was asked for before it was read')
    const clock = createClock(() => Promise.reject(new Unavailable('The database cannot be reached right now.')))
    await expect(clock.start()).rejects.toThrow(Unavailable)
  })

  it('ignores a change of the machine’s clock; a metric shows it to the operator', async () => {
    const clock = createClock()
    machineAheadMs = hourMs
    await clock.start()
    expect(clock.now()).toBe(databaseMs())
    machineAheadMs = -24 * hourMs
    await pass(5_000)
    expect(clock.now()).toBe(databaseMs())
    expect((await clock.metrics.clockOffset.get()).values[0]?.value).toBe((-24 * hourMs) / 1_000)
    expect(lines).toEqual([])
    await clock.stop()
  })

  it('follows the monotonic clock while the database is away, and then the database again', async () => {
    let away = false
    const clock = createClock(() => (away ? Promise.reject(new Unavailable('gone')) : readTimeMs()))
    await clock.start()
    away = true
    await pass(20_000)
    expect(clock.now()).toBe(databaseMs())
    away = false
    databaseAheadMs = 40
    await pass(5_000)
    expect(clock.now()).toBe(databaseMs())
    await clock.stop()
  })

  it('corrects small differences without a log entry: forward at once, backward by running slower', async () => {
    const clock = createClock()
    await clock.start()
    databaseAheadMs = 300
    await pass(5_000)
    expect(clock.now()).toBe(databaseMs())
    databaseAheadMs = 0
    await pass(5_000)
    expect(clock.now()).toBe(databaseMs() + 300)
    await pass(400)
    expect(clock.now()).toBe(databaseMs() + 100)
    await pass(200)
    expect(clock.now()).toBe(databaseMs())
    expect(lines).toEqual([])
    await clock.stop()
  })

  it.each([
    ['ahead', 3_000, 0],
    ['behind', -3_000, 3_000],
  ])('says once that the database is suddenly %s, and never goes back', async (_where, ms, aheadMs) => {
    const clock = createClock()
    await clock.start()
    databaseAheadMs = ms
    await pass(5_000)
    expect(clock.now()).toBe(databaseMs() + aheadMs)
    for (let reading = 0; reading < 4; reading++) await pass(5_000)
    expect(clock.now()).toBe(databaseMs())
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('database clock jumped')
    expect((await clock.metrics.databaseClockSteps.get()).values[0]?.value).toBe(1)
    await clock.stop()
  })

  it('makes no minute of a limit longer after the database was set back', async () => {
    const clock = createClock()
    await clock.start()
    const quotas = createQuotaCounter({ limit: 1 })
    quotas.take('business', clock.unslowed.now())
    databaseAheadMs = -3 * hourMs
    await pass(5_000)
    for (let minute = 0; minute < 5; minute++) {
      await pass(windowMs)
      const { exceeded, resetAtSeconds } = quotas.take('business', clock.unslowed.now())
      expect(exceeded).toBe(false)
      expect(resetAtSeconds * 1_000 - databaseMs()).toBeLessThanOrEqual(windowMs)
    }
    await clock.stop()
  })

  it('corrects the time only as far as a slow response proves', async () => {
    const clock = createClock()
    await clock.start()
    const beforeMs = clock.now()
    tripMs = 8_000
    await pass(5_000)
    tripMs = 0
    expect(clock.now()).toBe(beforeMs + 13_000)
    expect(lines).toEqual([])
    await clock.stop()
  })
})

describe('any readings', () => {
  const reading = fc.record({
    afterMs: fc.nat(60_000),
    tripMs: fc.nat(5_000),
    isReadAt: fc.float({ min: 0, max: 1, noNaN: true }),
    setByMs: fc.oneof(fc.constant(0), fc.integer({ min: -hourMs, max: hourMs })),
  })

  it('never set the clock back, and it is right again after some steady readings', () => {
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 20 }), (readings) => {
        let atMs = 0
        let aheadMs = 0
        let anchor: Anchor | undefined
        let lastMs = Number.NEGATIVE_INFINITY
        const look = (): void => {
          const nowMs = anchor === undefined ? lastMs : timeAt(anchor, atMs)
          expect(nowMs).toBeGreaterThanOrEqual(lastMs - 0.001)
          lastMs = nowMs
        }
        for (const { afterMs, tripMs: trip, isReadAt, setByMs } of readings) {
          aheadMs += setByMs
          const earliestMs = atMs + afterMs + trip * isReadAt + aheadMs
          atMs += afterMs + trip
          look()
          anchor = correctAnchor(anchor, { atMs, earliestMs, latestMs: earliestMs + trip })
          look()
        }
        atMs += 2 * readings.length * hourMs
        look()
        anchor = correctAnchor(anchor, { atMs, earliestMs: atMs + aheadMs, latestMs: atMs + aheadMs })
        atMs += 4 * readings.length * hourMs
        look()
        expect(lastMs).toBeCloseTo(atMs + aheadMs, 1)
      }),
    )
  })
})
