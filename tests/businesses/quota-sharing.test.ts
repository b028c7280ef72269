// A limit applies to all processes together: each process here is a counter with its own pool on one database.

import { expect, it } from 'vitest'
import {
  createQuotaCounter,
  windowMs,
  type QuotaCounter,
  type ShareCount,
  createQuotaSharing,
} from '#businesses/quota.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'

const database = await useTestDatabase()
const limit = 2_000
const nowMs = Date.parse('2026-01-15T09:30:00.000Z')

/** `heard` resolves when the others know all counts. */
type Process = { counter: QuotaCounter; told: () => number; heard: () => Promise<unknown> }

function newProcess(): Process {
  const share = createQuotaSharing(createTestContext(database.connect()))
  let told = 0
  let last: Promise<unknown> = Promise.resolve()
  const shareCount: ShareCount = (uses) => {
    told += 1
    const all = share(uses)
    last = all
    return all
  }
  return { counter: createQuotaCounter({ limit, shareCount }), told: () => told, heard: () => last }
}

/**
 * Uses the quota in small bursts, with the time of one exchange between them. Resolves with the number of accepted
 * requests.
 */
async function useUp({ counter, heard }: Process, bucket: string, burst: number, at = nowMs): Promise<number> {
  let accepted = 0
  for (let asked = 0; asked < limit * 1.5; asked += burst) {
    for (let one = 0; one < burst; one++) if (!counter.take(bucket, at).exceeded) accepted += 1
    await heard()
  }
  return accepted
}

it.each([1, 3, 8])('%i processes together let in what one would, within a tenth', async (count) => {
  const processes = Array.from({ length: count }, newProcess)
  const bucket = `together ${count}`
  const accepted = await Promise.all(processes.map((process) => useUp(process, bucket, 5)))
  const all = accepted.reduce((sum, one) => sum + one, 0)
  expect(all).toBeGreaterThanOrEqual(limit)
  expect(all).toBeLessThanOrEqual(limit * 1.1)
  const told = processes.reduce((sum, process) => sum + process.told(), 0)
  expect(told).toBeLessThanOrEqual(100 + count)
})

it('a process that starts late learns the earlier counts, and reports no request that it refused', async () => {
  const [first, late] = [newProcess(), newProcess()]
  expect(await useUp(first, 'late', 5)).toBe(limit)
  expect(await useUp(late, 'late', 5)).toBeLessThanOrEqual(limit * 0.1)
  const next = nowMs + windowMs
  expect(late.counter.peek('late', next).remaining).toBe(limit)
  expect(await useUp(late, 'late', 5, next)).toBe(limit)
})

it('past counts are deleted minute by minute, and no address or tenant stands in the table', async () => {
  const process = newProcess()
  const firstMs = nowMs + 10 * windowMs
  for (let minute = 0; minute < 4; minute++) {
    await useUp(process, '203.0.113.7', 50, firstMs + minute * windowMs)
    await untilHolds(async () => {
      const rows = await asOwner<{ minute: string; text: string }>(
        database,
        'select minute, q::text as text from quota_count q',
      )
      expect(rows.filter(({ text }) => text.includes('203.0.113'))).toEqual([])
      const newest = firstMs / windowMs + minute
      const minutes = rows.map((row) => Number(row.minute))
      expect(Math.max(...minutes)).toBe(newest)
      expect(Math.min(...minutes)).toBeGreaterThanOrEqual(newest - 1)
    })
  }
})

it('while the database does not answer, each process counts for itself and asks once a second', async () => {
  let asked = 0
  const counter = createQuotaCounter({
    limit,
    shareCount: () => {
      asked += 1
      return Promise.reject(new Error('the database is gone'))
    },
  })
  const heard = (): Promise<void> => Promise.resolve()
  expect(await useUp({ counter, told: () => asked, heard }, 'alone', 50)).toBe(limit)
  expect(asked).toBeGreaterThan(0)

  const ctx = createTestContext(database.connect())
  let queries = 0
  const gone = { ...ctx.db, query: () => Promise.reject(new Error(`the database is gone, query ${(queries += 1)}`)) }
  const share = createQuotaSharing({ ...ctx, db: gone })
  const told = { bucket: 'gone', window: 1, more: 1 }
  for (let turn = 0; turn < 5; turn++) await expect(share(told)).rejects.toThrow(/gone|not shared/)
  expect(queries).toBe(1)
})
