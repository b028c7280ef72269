// Lanes whose connection is lost: while a statement runs, and around COMMIT, where the outcome is unknown.

import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { arrayOf, createDb, statement } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLane, type Operation } from '#platform/db/lane.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { quietLog, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'

const database = await useTestDatabase()
const proxy = await usePostgresProxy(database.serviceUrl)
// The table has no key, so that a command that ran twice shows.
await asOwner(database, 'create table applied (id bigint); grant select, insert, delete on applied to manilla_service')

/** Answers a COMMIT as Citus does when a worker died meanwhile, which may have committed. */
const workerDies = -1
await asOwner(
  database,
  `create function lose_worker() returns trigger language plpgsql as $$ begin
     raise exception 'could not commit transaction for shard 102132 on at least one active node' using errcode = 'XX000';
   end $$;
   create constraint trigger at_commit after insert on applied deferrable initially deferred for each row
     when (new.id = ${workerDies}) execute function lose_worker()`,
)

const metrics = createMetrics()
const db = createDb({ url: proxy.url, role: serviceRole, log: quietLog(), metrics })
const connection = db.connection('faults')
afterAll(() => db.close())
const lane = createLane({ name: 'faults', transaction: (work) => connection.transaction(work), metrics })

const count = statement('test.count', 'select count(*) from applied')
const insert = statement('test.applied_insert', 'insert into applied select unnest($1::bigint[])')
const wait = statement('test.applied_wait', 'select pg_sleep(20)')

let runs = 0

const apply: Operation<number, number> = {
  name: 'apply',
  async run(tx, ids) {
    runs += 1
    await tx.query(count)
    tx.send(insert, [arrayOf(ids, (id) => id)])
    return ids
  },
}

const applyAndWait: Operation<number, number> = {
  name: 'apply and wait',
  async run(tx, ids) {
    const done = await apply.run(tx, ids)
    await tx.query(wait)
    return done
  },
}

const submitAll = (ids: number[], operation = apply) => Promise.allSettled(ids.map((id) => lane.submit(operation, id)))
const unavailable = { status: 'rejected', reason: expect.any(Unavailable) }

async function applied(): Promise<number[]> {
  const rows = await asOwner<{ id: string }>(database, 'select id from applied order by id')
  return rows.map((row) => Number(row.id))
}

beforeEach(async () => {
  await asOwner(database, 'delete from applied')
  await lane.submit(apply, 0)
  runs = 0
})

describe('a connection that is lost', () => {
  it('while a statement runs: the whole batch is Unavailable, ran once, and left nothing', async () => {
    const lost = submitAll([1, 2, 3], applyAndWait)
    await untilHolds(async () => {
      const ended = await asOwner(
        database,
        `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
      expect(ended).toHaveLength(1)
    })
    expect(await lost).toEqual([unavailable, unavailable, unavailable])
    expect(runs).toBe(1)
    expect(await applied()).toEqual([0])
  })

  it('before COMMIT arrived: Unavailable, ran once, and left nothing', async () => {
    proxy.setCommitFate('lose-request')
    expect(await submitAll([1, 2, 3])).toEqual([unavailable, unavailable, unavailable])
    expect(runs).toBe(1)
    expect(await applied()).toEqual([0])
  })

  it('after COMMIT was done: Unavailable, ran once, and is kept once', async () => {
    proxy.setCommitFate('lose-answer')
    expect(await submitAll([1, 2, 3])).toEqual([unavailable, unavailable, unavailable])
    expect(runs).toBe(1)
    expect(await applied()).toEqual([0, 1, 2, 3])
  })

  it('to a worker of Citus, which reports an internal error: Unavailable, ran once', async () => {
    expect(await submitAll([workerDies, 2, 3])).toEqual([unavailable, unavailable, unavailable])
    expect(runs).toBe(1)
  })

  it('is replaced: the commands after the lost batch run on a new connection', async () => {
    const reconnects = async () =>
      (await metrics.databaseReconnects.get()).values.reduce((sum, { value }) => sum + value, 0)
    const before = await reconnects()
    proxy.setCommitFate('lose-answer')
    const lost = submitAll([1, 2])
    await untilHolds(() => expect(runs).toBe(1))
    const next = submitAll([3, 4])
    expect(await lost).toEqual([unavailable, unavailable])
    expect(await next).toEqual([3, 4].map((value) => ({ status: 'fulfilled', value })))
    expect(await applied()).toEqual([0, 1, 2, 3, 4])
    expect(await reconnects()).toBe(before + 1)
  })

  it('to a database that stays away: each batch is Unavailable until the database is back', async () => {
    await proxy.close()
    expect(await submitAll([1, 2])).toEqual([unavailable, unavailable])
    expect(await submitAll([3])).toEqual([unavailable])
    await proxy.open()
    expect(await submitAll([4])).toEqual([{ status: 'fulfilled', value: 4 }])
    expect(await applied()).toEqual([0, 4])
  })
})

describe('round trips', () => {
  it('are two for a batch, however many operations and commands it carries', async () => {
    const other: Operation<number, number> = { name: 'other', run: (tx, ids) => apply.run(tx, ids) }
    proxy.reset()
    await Promise.all([submitAll([1, 2, 3]), submitAll([4, 5, 6], other)])
    expect({ writes: proxy.writes(), commits: proxy.commits() }).toEqual({ writes: 2, commits: 1 })
    expect(await applied()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })
})
