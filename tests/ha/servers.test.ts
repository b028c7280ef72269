// A primary and a real standby: which one the service connects to when its address names both, what happens when the
// primary dies, and the doctor's findings about the standby.

import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDb, statement, type Db } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openSession } from '#platform/db/sessions.ts'
import { replicationFinding } from '#cli/doctor-database.ts'
import type { Finding } from '#cli/output.ts'
import { quietLog } from '#tests/support/database.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startPostgresProxy } from '#tests/support/postgres-proxy.ts'
import { newFolder } from '#tests/support/run.ts'
import { startPair, type Pair, type Server } from './pair.ts'

const whereAmI = statement('test.where', `select inet_server_addr()::text || ':' || inet_server_port() as host`)

async function newPair(): Promise<Pair> {
  const pair = await startPair()
  onTestFinished(() => pair.end())
  return pair
}

function openDb(...servers: Server[]): Db {
  const hosts = servers.map(({ host }) => host).join()
  const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
  const db = createDb({ url, log: quietLog(), metrics: createMetrics() })
  onTestFinished(() => db.close())
  return db
}

const at = ({ host }: Server): unknown[] => [{ host: host.replace(':', '/32:') }]

describe('an address of two servers', () => {
  it('leads to the one that takes writes, and to the other one once that has taken its place', async () => {
    const { primary, standby } = await newPair()
    const db = openDb(standby, primary)
    const connection = db.connection('pair')
    expect(await db.query(whereAmI)).toEqual(at(primary))
    expect(await connection.query(whereAmI)).toEqual(at(primary))
    await primary.kill()
    await expect(db.query(whereAmI)).rejects.toBeInstanceOf(Unavailable)
    await expect(connection.query(whereAmI)).rejects.toBeInstanceOf(Unavailable)
    await standby.ask('select pg_promote()')
    await untilHolds(async () => {
      expect(await db.query(whereAmI)).toEqual(at(standby))
      expect(await connection.query(whereAmI)).toEqual(at(standby))
    })
  })

  it('leads there by way of a wire in front of both, and is cut with it', async () => {
    const { primary, standby } = await newPair()
    const address = `postgres://postgres@${standby.host},${primary.host}/postgres?target_session_attrs=read-write`
    const wire = await startPostgresProxy(address, await newFolder('wire'))
    onTestFinished(() => wire.dispose())
    const db = createDb({ url: wire.url, log: quietLog(), metrics: createMetrics() })
    onTestFinished(() => db.close())
    expect(await db.query(whereAmI)).toEqual(at(primary))
    await wire.close()
    await expect(db.query(whereAmI)).rejects.toBeInstanceOf(Unavailable)
    await wire.open()
    await untilHolds(async () => expect(await db.query(whereAmI)).toEqual(at(primary)))
  })

  it('leads nowhere while both are standbys, and says so', async () => {
    const { standby } = await newPair()
    const told = `no server takes writes: ${standby.host} is a standby; ${standby.host} is a standby`
    await expect(openDb(standby, standby).query(whereAmI)).rejects.toMatchObject({ cause: { message: told } })
  })
})

describe('a commit whose second machine is away', () => {
  it('is never answered as if it were safe, because its outcome is unknown', async () => {
    const { primary, standby } = await newPair()
    await primary.ask('create table probe (id int)')
    await primary.ask(`alter system set synchronous_standby_names = '*'`)
    await primary.ask('select pg_reload_conf()')
    await untilHolds(async () => {
      const states = await primary.ask('select sync_state from pg_stat_replication')
      expect(states).toEqual([{ sync_state: 'sync' }])
    })
    await standby.kill()
    const db = createDb({
      url: `postgres://postgres@${primary.host}/postgres`,
      log: quietLog(),
      metrics: createMetrics(),
      statementTimeoutMs: 1_000,
    })
    onTestFinished(() => db.close())
    const insert = statement('test.synchronous', 'insert into probe values (1)')
    for (const on of [db, db.connection('synchronous')])
      await expect(on.transaction((tx) => tx.query(insert))).rejects.toBeInstanceOf(Unavailable)
  })
})

describe('an address of one server that is a standby', () => {
  it('is refused, as what it reads would be of a while ago', async () => {
    const { standby } = await newPair()
    const db = openDb(standby)
    for (const on of [db, db.connection('standby')]) {
      const refused = on.query(whereAmI)
      await expect(refused).rejects.toBeInstanceOf(Unavailable)
      await expect(refused).rejects.toMatchObject({ cause: { message: `${standby.host} is a standby` } })
    }
    await expect(openSession(`postgres://postgres@${standby.host}/postgres`)).rejects.toThrow('is a standby')
  })
})

describe('the doctor', () => {
  async function examine({ host }: Server, production = true, login = 'postgres'): Promise<Finding> {
    const client = new pg.Client({ connectionString: `postgres://${login}@${host}/postgres` })
    await client.connect()
    try {
      return await replicationFinding(client, production)
    } finally {
      await client.end()
    }
  }

  async function set({ ask }: Server, name: string, value: string): Promise<void> {
    await ask(`alter system set ${name} = '${value}'`)
    await ask('select pg_reload_conf()')
  }

  it('refuses a standby that follows asynchronously, and one that no commit waits for, until a commit waits for its disk', async () => {
    const { primary, standby } = await newPair()
    await primary.ask('create role plain login')
    const asynchronous = {
      state: 'failed',
      message: expect.stringMatching(/^1 asynchronous standbys: .* Set synchronous_standby_names = /),
    }
    await untilHolds(async () => expect(await examine(primary)).toMatchObject(asynchronous))
    expect(await examine(primary, true, 'plain')).toMatchObject(asynchronous)
    // Without real money the finding is only a warning.
    expect(await examine(primary, false)).toMatchObject({ state: 'warning' })

    await set(primary, 'synchronous_standby_names', 'ANY 1 (*)')
    const synchronous = {
      state: 'ok',
      message: 'every payment is on the disk of a second machine before it is accepted',
    }
    await untilHolds(async () => expect(await examine(primary)).toMatchObject(synchronous))
    expect(await examine(primary, true, 'plain')).toMatchObject(synchronous)

    await set(primary, 'synchronous_commit', 'local')
    const early =
      'synchronous_commit = local accepts payments before a standby has stored them. Set synchronous_commit = on'
    await untilHolds(async () => expect(await examine(primary)).toMatchObject({ state: 'failed', message: early }))
    await set(primary, 'synchronous_commit', 'on')

    await standby.kill()
    const waiting = { state: 'failed', message: expect.stringMatching(/every payment waits for one\. Start a standby/) }
    await untilHolds(async () => expect(await examine(primary)).toMatchObject(waiting))
  })

  it('tells of a machine that is alone, and refuses nothing', async () => {
    const { primary, standby } = await newPair()
    await standby.kill()
    const alone = {
      state: 'warning',
      message: expect.stringMatching(/^one machine: .* See docs\/runbooks\/scale\.md$/),
    }
    await untilHolds(async () => expect(await examine(primary)).toMatchObject(alone))
  })
})
