// The snapshot of a proof: what is read in it, and when the proof gives it up.

import { expect, it } from 'vitest'
import { statement, type InLane } from '#platform/db/db.ts'
import { takeSnapshot } from '#ledger/chunks.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const database = await useTestDatabase()
const { db } = createTestContext(database.connect())
const one = statement('test.snapshot_one', 'select 1 as one')
const limit = statement(
  'test.snapshot_limit',
  `select extract(epoch from current_setting('statement_timeout')::interval) as seconds`,
)
const shorten = statement('test.snapshot_shorten', `set local statement_timeout = '1ms'`)
const sleep = statement('test.snapshot_sleep', 'select pg_sleep(60)')

let asked = 0
const snapshotOf = (ms?: number) =>
  takeSnapshot(db, 7, {
    ms,
    pace: (work) => {
      asked += 1
      return work()
    },
  })

it('shows the lane, at the pace of the proof', async () => {
  asked = 0
  const work = async (lane: InLane) => [lane.lane, ...(await lane.query(one))]
  expect(await snapshotOf()(work)).toEqual([7, { one: 1 }])
  expect(asked).toBe(1)
})

it('knows nothing once it is old, and asks no more', async () => {
  expect(await snapshotOf(-1)((lane) => lane.query(one))).toBeUndefined()
})

it('knows nothing when a statement took too long; none may take more than a snapshot', async () => {
  const found = await snapshotOf()((lane) => lane.query<{ seconds: string }>(limit))
  expect(Number(found?.[0]?.seconds)).toBeGreaterThan(0)
  expect(Number(found?.[0]?.seconds)).toBeLessThan(30)
  const work = async (lane: InLane) => {
    await lane.query(shorten)
    return lane.query(sleep)
  }
  expect(await snapshotOf()(work)).toBeUndefined()
})

it('fails with its work', async () => {
  await expect(snapshotOf()(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
})
