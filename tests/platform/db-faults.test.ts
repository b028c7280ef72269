// The outcome of work whose connections are cut, whose server restarts, or whose server stops answering.

import { describe, expect, it, onTestFinished } from 'vitest'
import { statement, type Db, type DbOptions, type Tx } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { newInitializedDataDir } from '#tests/postgres/embedded/support.ts'
import { skipOnCitus } from '#tests/support/citus.ts'
import { openForTest, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'

const database = await useTestDatabase()
await asOwner(
  database,
  `create table probe (id bigint primary key, note text);
   grant select, insert, update on probe to manilla_service`,
)

const one = statement('test.probe_one', 'select 1 as one')
const wait = statement('test.probe_wait', 'select pg_sleep(20)')
const insert = statement('test.probe_insert', 'insert into probe (id) values ($1)')

const open = (options: Partial<DbOptions> = {}): Db => openForTest(database, options)

async function cutSleepers(count: number): Promise<void> {
  await untilHolds(async () => {
    const sessions = await asOwner(
      database,
      `select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    )
    expect(sessions).toHaveLength(count)
  })
  await asOwner(
    database,
    `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
  )
}

/** `sql`: %I is the name of the database. */
async function changeConnect(sql: string): Promise<void> {
  await asOwner(database, `do $$ begin execute format('${sql}', current_database()); end $$`)
}

const rows = async (): Promise<unknown[]> =>
  (await asOwner<{ id: string }>(database, 'select id from probe order by id')).map((row) => row.id)

describe('a session that is ended while a statement runs', () => {
  it('fails everything on it as unavailable, and the next use has a new session', async () => {
    const db = open()
    const connection = db.connection('cut')
    const failures = Promise.allSettled([
      db.query(wait),
      db.transaction((tx) => tx.query(wait)),
      connection.transaction(async (tx) => {
        tx.send(insert, [1])
        await tx.query(wait)
      }),
    ])
    await cutSleepers(3)
    for (const failure of await failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
    }
    expect(await db.query(one)).toEqual([{ one: 1 }])
    expect(await connection.query(one)).toEqual([{ one: 1 }])
    expect(await rows()).toEqual([])
  })

  it('is not given to the next caller, who may ask before the process learns of its end', async () => {
    const db = open({ poolSizeMax: 1 })
    const next = db.query(wait).catch(() => db.query(one))
    await cutSleepers(1)
    expect(await next).toEqual([{ one: 1 }])
  })

  it('is noticed while nothing runs', async () => {
    const metrics = createMetrics()
    const db = open({ metrics })
    const connection = db.connection('idle')
    await Promise.all([db.query(one), connection.query(one)])
    await asOwner(
      database,
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend' and datname = current_database()`,
    )
    await untilHolds(async () => {
      expect(await db.query(one)).toEqual([{ one: 1 }])
      expect(await connection.query(one)).toEqual([{ one: 1 }])
    })
    expect((await metrics.databaseReconnects.get()).values).toContainEqual({ labels: { connection: 'idle' }, value: 1 })
  })
})

describe('a process that stalls in the middle of a batch', () => {
  it('loses the batch after 5 s, so that others that wait for its locks go on', async () => {
    await asOwner(database, "truncate probe; insert into probe values (1, 'locked')")
    const lock = statement('test.lock_probe', 'select * from probe for update')
    const stalled = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const lost = open()
      .connection('stalled')
      .transaction(async (tx) => {
        await tx.query(lock)
        held.resolve()
        await stalled.promise
        await tx.query(lock)
      })
    lost.catch(() => undefined)
    await held.promise
    expect(
      await open()
        .connection('next')
        .transaction((tx) => tx.query(lock)),
    ).toHaveLength(1)
    stalled.resolve()
    await expect(lost).rejects.toBeInstanceOf(Unavailable)
  })
})

describe('a connection that is lost around COMMIT', () => {
  it.each([
    ['lose-request', []],
    ['lose-answer', ['2']],
  ] as const)('%s: the caller learns that nobody knows', async (fate, after) => {
    await asOwner(database, 'truncate probe')
    const proxy = await usePostgresProxy(database.serviceUrl)
    const db = open({ url: proxy.url })
    for (const on of [db, db.connection('commit')]) {
      await asOwner(database, 'truncate probe')
      await on.query(one)
      proxy.setCommitFate(fate)
      const lost = on.transaction(async (tx) => {
        await tx.query(one)
        tx.send(insert, [2])
      })
      await expect(lost).rejects.toBeInstanceOf(Unavailable)
      await untilHolds(async () => expect(await rows()).toEqual(after))
      await on.query(one)
    }
  })
})

describe('a connection that is lost within a transaction', () => {
  // The cut comes at each message of BEGIN, three statements and COMMIT, in both directions.
  it.each([
    ['service', 40],
    ['server', 40],
  ] as const)(
    'after any message of the %s: all is kept or nothing, and the next one works',
    async (end, messagesMax) => {
      const proxy = await usePostgresProxy(database.serviceUrl)
      const on = open({ url: proxy.url }).connection('messages')
      const change = (tx: Tx): Promise<unknown> => {
        tx.send(insert, [1])
        return tx.query(one).then(() => tx.send(insert, [2]))
      }
      const outcomes = new Set<string>()
      let cuts = 0
      for (let messages = 0; messages < messagesMax; messages++) {
        await asOwner(database, 'truncate probe')
        await on.query(one)
        proxy.cutAfter(end, messages)
        const outcome = await on.transaction(change).then(
          () => 'kept',
          (error: unknown) => {
            expect(error).toBeInstanceOf(Unavailable)
            return 'unknown'
          },
        )
        proxy.cutAfter(end, Infinity)
        if (outcome === 'unknown') cuts += 1
        // A transaction whose end never arrived is rolled back once PostgreSQL learns that the connection is gone.
        await untilHolds(async () =>
          expect(
            await asOwner(
              database,
              `select 1 from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`,
            ),
          ).toEqual([]),
        )
        const found = await rows()
        outcomes.add(`${outcome} ${found.join(',')}`)
      }
      expect([...outcomes].toSorted()).toEqual(['kept 1,2', 'unknown ', 'unknown 1,2'].toSorted())
      expect(cuts).toBeGreaterThan(10)
    },
  )
})

describe('a server that no longer responds', () => {
  it('is given up if its statement timeout has passed without a response', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    const db = open({ url: proxy.url, statementTimeoutMs: 1_000 })
    const connection = db.connection('silence')
    await Promise.all([db.query(one), connection.query(one)])
    proxy.freeze()
    const asked = [db.query(one), connection.query(one), connection.transaction((tx) => tx.query(one))]
    for (const failure of await Promise.allSettled(asked)) {
      expect(failure).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
    }
  })

  it('is given up within seconds if it does not answer a new session, and is used again when it is back', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    const db = open({ url: proxy.url, silenceMs: 100 })
    const connection = db.connection('gone')
    await Promise.all([db.query(one), connection.query(one)])
    proxy.freeze()
    const since = performance.now()
    const asked = [db.query(one), connection.query(one), connection.transaction((tx) => tx.query(one))]
    for (const failure of await Promise.allSettled(asked)) {
      expect(failure).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
    }
    // The statement itself could have taken 30 s, and the driver would have waited for 36 s.
    expect(performance.now() - since).toBeLessThan(30_000)
    proxy.thaw()
    await untilHolds(async () => {
      expect(await connection.query(one)).toEqual([{ one: 1 }])
      expect(await db.query(one)).toEqual([{ one: 1 }])
    })
  })

  it('keeps its slow statement if it answers a new session', async () => {
    const db = open({ silenceMs: 50 })
    const second = statement('test.probe_second', `select 'done' as slept from pg_sleep(1)`)
    expect(await db.query(second)).toEqual([{ slept: 'done' }])
    expect(await db.connection('busy').transaction((tx) => tx.query(second))).toEqual([{ slept: 'done' }])
  })
})

describe('a server that refuses the login of a new session', () => {
  it('keeps the sessions that wait for its answer, because its refusal shows that it is there', async (context) => {
    skipOnCitus(context, 'the tests log in as a superuser, whom no database refuses')
    const db = open({ silenceMs: 50 })
    const second = statement('test.probe_refused', `select 'done' as slept from pg_sleep(2)`)
    const connection = db.connection('refused')
    await connection.query(one)
    const slept = connection.query(second)
    await changeConnect('revoke connect on database %I from public, manilla_service')
    onTestFinished(() => changeConnect('grant connect on database %I to public, manilla_service'))
    expect(await slept).toEqual([{ slept: 'done' }])
    await expect(open().query(one)).rejects.toThrow()
  })
})

describe('a server that takes no writes', () => {
  it('loses its session', async () => {
    const connection = open().connection('demoted')
    const session = statement('test.session', 'select pg_backend_pid() as pid')
    const refuse = statement('test.probe_refuse', `do $$ begin raise sqlstate '25006'; end $$`)
    const before = await connection.query(session)
    await expect(connection.query(refuse)).rejects.toBeInstanceOf(Unavailable)
    await untilHolds(async () => expect(await connection.query(session)).not.toEqual(before))
  })
})

describe('a coordinator of Citus that cannot reach a worker', () => {
  it('answers so, and its sessions are kept', async () => {
    const db = open({ poolSizeMax: 1 })
    const session = statement('test.session', 'select pg_backend_pid() as pid')
    const away = statement('test.probe_away', `do $$ begin raise sqlstate '08006'; end $$`)
    const before = await db.query(session)
    await expect(db.query(away)).rejects.toBeInstanceOf(Unavailable)
    await expect(db.transaction((tx) => tx.query(away))).rejects.toBeInstanceOf(Unavailable)
    expect(await db.query(session)).toEqual(before)
  })
})

describe('a database that was closed', () => {
  it('does not call its last connections lost when the server ends them first', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    const lines: string[] = []
    const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
    const db = open({ url: proxy.url, log })
    const [session] = await db.query<{ pid: number }>(statement('test.pid', 'select pg_backend_pid() as pid'))
    proxy.stall()
    await db.close()
    await asOwner(database, 'select pg_terminate_backend($1::integer, 60000)', [session?.pid])
    proxy.resume()
    await untilHolds(() => expect(proxy.connections()).toBe(0))
    expect(lines).toEqual([])
  })
})

describe('a server that restarts', () => {
  it('is found again by the pool and by connections, and is Unavailable meanwhile', async () => {
    const dataDir = await newInitializedDataDir()
    const options = { dataDir, use: 'command', durable: false } as const
    const first = await openEmbeddedPostgres(options)
    const db = open({ url: first.serviceUrl })
    const connection = db.connection('restart')
    await Promise.all([db.query(one), connection.query(one)])
    await first.release()
    await expect(db.query(one)).rejects.toBeInstanceOf(Unavailable)
    await expect(connection.transaction((tx) => tx.query(one))).rejects.toBeInstanceOf(Unavailable)
    const second = await openEmbeddedPostgres(options)
    expect(await db.query(one)).toEqual([{ one: 1 }])
    expect(await connection.transaction((tx) => tx.query(one))).toEqual([{ one: 1 }])
    await db.close()
    await second.release()
  })
})
