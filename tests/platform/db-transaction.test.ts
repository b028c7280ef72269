import pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { isTooLong, statement, type Db, type DbOptions, type Tx } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLog } from '#platform/observability/log.ts'
import { toFault } from '#platform/db/postgres-errors.ts'
import { runTransaction } from '#platform/db/transaction.ts'
import { openForTest, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'

const database = await useTestDatabase()
const proxy = await usePostgresProxy(database.serviceUrl)
await asOwner(
  database,
  `create table probe (id bigint primary key, note text check (note <> 'bad'));
   grant select, insert, update, delete on probe to manilla_service`,
)

const insert = statement('test.transaction_insert', 'insert into probe (id, note) values ($1, $2)')
const select = statement('test.select', 'select id from probe order by id')
const db = database.connect()

const open = (options: Partial<DbOptions> = {}): Db => openForTest(database, options)

const kept = async (): Promise<bigint[]> => (await db.query<{ id: bigint }>(select)).map((row) => row.id)

beforeEach(() => asOwner(database, 'truncate probe'))

// The pool and a dedicated connection run transactions by the same rules.
describe.each([
  ['the pool', () => open()],
  ['a connection', () => open().connection('test')],
])('a transaction on %s', (_name, make) => {
  it('commits all of its work or nothing', async () => {
    const on = make()
    await on.transaction(async (tx) => {
      await tx.query(insert, [1, 'one'])
      tx.send(insert, [2, 'two'])
    })
    const failed = on.transaction(async (tx) => {
      await tx.query(insert, [3, 'three'])
      tx.send(insert, [4, 'four'])
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await kept()).toEqual([1n, 2n])
  })

  it('fails with the error of the sent statement that failed, and leaves nothing', async () => {
    const on = make()
    for (const bad of [0, 1, 2]) {
      const failed = on.transaction(async (tx) => {
        for (let at = 0; at < 3; at++) tx.send(insert, [at, at === bad ? 'bad' : 'good'])
      })
      await expect(failed).rejects.toMatchObject({ code: '23514' })
    }
    expect(await kept()).toEqual([])
  })

  it('fails if a statement failed, even if the work ignored its error', async () => {
    const failed = make().transaction(async (tx) => {
      tx.send(insert, [1, 'one'])
      await tx.query(insert, [2, 'bad']).catch(() => undefined)
    })
    await expect(failed).rejects.toThrow()
    expect(await kept()).toEqual([])
  })

  it('leaves nothing when a value cannot be sent', async () => {
    const failed = make().transaction(async (tx) => {
      tx.send(insert, [1, 'one'])
      tx.send(insert, [2, { amount: 1n }])
    })
    await expect(failed).rejects.toThrow()
    expect(await kept()).toEqual([])
  })

  it('cannot be used after its end', async () => {
    const on = make()
    let leaked: Tx | undefined
    await on.transaction(async (tx) => void (leaked = tx))
    const uses = [
      () => leaked?.query(select),
      () => leaked?.send(insert, [1, 'late']),
      () => leaked?.beforeCommit(() => undefined),
      () => leaked?.afterCommit(() => undefined),
    ]
    for (const use of uses) expect(use).toThrow('a transaction was used after its end')
    await expect(
      on.transaction(async (tx) => Promise.reject(Object.assign(new Error('x'), { leaked: tx }))),
    ).rejects.toSatisfy((error: { leaked: Tx }) => {
      expect(() => error.leaked.query(select)).toThrow('a transaction was used after its end')
      return true
    })
    expect(await kept()).toEqual([])
  })

  it('serves the next transaction normally after one failed', async () => {
    const on = make()
    for (let round = 0; round < 5; round++) {
      await expect(on.transaction((tx) => tx.query(insert, [round, 'bad']))).rejects.toMatchObject({ code: '23514' })
      await expect(on.transaction((tx) => tx.query(statement('test.typo', 'selec 1')))).rejects.toMatchObject({
        code: '42601',
      })
      await on.transaction((tx) => tx.query(insert, [round, 'good']))
    }
    expect(await kept()).toEqual([0n, 1n, 2n, 3n, 4n])
  })
})

describe('hooks', () => {
  it('before the commit run in their order, when the work is done, and may write and add hooks', async () => {
    const order: string[] = []
    await db.transaction(async (tx) => {
      tx.beforeCommit(() => {
        order.push('first')
        tx.send(insert, [1, 'gathered'])
        tx.beforeCommit(() => void order.push('added'))
      })
      tx.beforeCommit(() => void order.push('second'))
      await tx.query(select)
      order.push('work')
    })
    expect(order).toEqual(['work', 'first', 'second', 'added'])
    expect(await kept()).toEqual([1n])
  })

  it('before the commit undo everything when one throws', async () => {
    const failed = db.transaction(async (tx) => {
      tx.send(insert, [1, 'one'])
      tx.beforeCommit(() => {
        throw new Error('not now')
      })
    })
    await expect(failed).rejects.toThrow('not now')
    expect(await kept()).toEqual([])
  })

  it('after the commit run only when it is known to have happened', async () => {
    const connection = open({ url: proxy.url }).connection('hooks')
    const ran: string[] = []
    const work = (name: string, note: string) => (tx: Tx) => {
      tx.afterCommit(() => void ran.push(name))
      tx.send(insert, [ran.length, note])
      return Promise.resolve()
    }
    await connection.transaction(work('committed', 'good'))
    await expect(connection.transaction(work('refused', 'bad'))).rejects.toThrow()
    proxy.setCommitFate('lose-answer')
    await expect(connection.transaction(work('unknown', 'good'))).rejects.toBeInstanceOf(Unavailable)
    expect(ran).toEqual(['committed'])
  })

  it('after the commit do not fail the transaction when they throw', async () => {
    const lines: string[] = []
    const on = open({ log: createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) }) })
    const ran: string[] = []
    const value = await on.transaction((tx) => {
      tx.afterCommit(() => {
        throw new Error('hook broke')
      })
      tx.afterCommit(() => void ran.push('next'))
      tx.send(insert, [1, 'one'])
      return Promise.resolve('value')
    })
    expect({ value, ran, kept: await kept() }).toEqual({ value: 'value', ran: ['next'], kept: [1n] })
    expect(lines.join('')).toContain('hook broke')
  })
})

describe('a snapshot', () => {
  it('may sort, because it reads whole tables; the next statement of the pool may not', async () => {
    const sorts = statement('test.sorts', "select current_setting('enable_sort') as sorts")
    expect(await db.snapshot((tx) => tx.query(sorts))).toEqual([{ sorts: 'on' }])
    expect(await db.query(sorts)).toEqual([{ sorts: 'off' }])
  })

  it('sees one moment, whatever others write', async () => {
    const seen = await db.snapshot(async (tx) => {
      const before = await tx.query(select)
      await db.transaction((other) => other.query(insert, [1, 'meanwhile']))
      return [before, await tx.query(select)]
    })
    expect(seen).toEqual([[], []])
    expect(await kept()).toEqual([1n])
  })

  it('ends a statement that takes too long', async () => {
    const slow = db.snapshot((tx) => tx.query(statement('test.slow', 'select pg_sleep(20)::text')), 200)
    expect(await slow.catch(isTooLong)).toBe(true)
    expect(await db.snapshot((tx) => tx.query(select))).toEqual([])
  })

  it('cannot write', async () => {
    await expect(db.snapshot((tx) => tx.query(insert, [1, 'forbidden']))).rejects.toMatchObject({
      cause: { code: '25006' },
    })
  })
})

describe('round trips', () => {
  it('are two for a batch: BEGIN is sent with the reads, and COMMIT with the writes', async () => {
    const connection = open({ url: proxy.url }).connection('pipeline')
    await connection.query(select)
    proxy.reset()
    await connection.transaction(async (tx) => {
      await Promise.all([tx.query(select), tx.query(select)])
      for (let id = 0; id < 20; id++) tx.send(insert, [id, 'sent'])
      tx.beforeCommit(() => tx.send(insert, [99, 'gathered']))
    })
    expect(proxy.writes()).toBe(2)
    expect(await kept()).toHaveLength(21)
  })

  it('are shared by queries that do not wait for each other', async () => {
    const connection = open({ url: proxy.url }).connection('queries')
    await connection.query(select)
    proxy.reset()
    await Promise.all([connection.query(select), connection.query(select), connection.query(select)])
    expect(proxy.writes()).toBe(1)
  })
})

describe('an error of PostgreSQL', () => {
  const raise = (state: string) => `do $$ begin raise sqlstate '${state}'; end $$`

  it.each(['08006', '53100', '53300', '57014', '57P01', '57P03', '58030', '55P03', '25P03', '25P04', '25006'])(
    '%s is not the statement’s fault, and becomes Unavailable',
    async (state) => {
      await expect(db.query(statement(`test.raise.${state}`, raise(state)))).rejects.toBeInstanceOf(Unavailable)
    },
  )

  it.each(['23505', '23514', '22003', '42501', '42P01', 'P0001', 'XX000'])(
    '%s stays an error of PostgreSQL',
    async (state) => {
      await expect(db.query(statement(`test.raise.${state}`, raise(state)))).rejects.toMatchObject({ code: state })
    },
  )

  it('that ends the session is Unavailable, whatever its code, because the outcome of a COMMIT is unknown', () => {
    const told = (severity: string) =>
      toFault(Object.assign(new pg.DatabaseError('told', 4, 'error'), { code: 'XX000', severity }))
    expect(told('FATAL')).toBeInstanceOf(Unavailable)
    expect(told('PANIC')).toBeInstanceOf(Unavailable)
    expect(told('ERROR')).toMatchObject({ code: 'XX000' })
  })

  it.each(['40001', '40P01'])('%s is tried again by the pool until it succeeds, five times at most', async (state) => {
    const conflict = statement(`test.raise.${state}`, raise(state))
    let attempts = 0
    const work = (conflicts: number) => async (tx: Tx) => {
      attempts += 1
      tx.send(insert, [conflicts + attempts, 'attempt'])
      if (attempts > conflicts) return
      // The cause is kept, also if it came from a statement that no caller awaited.
      tx.send(conflict)
      await tx.query(select)
    }
    await db.transaction(work(3))
    expect(await kept()).toEqual([7n])
    attempts = 0
    await expect(db.transaction(work(100))).rejects.toMatchObject({ code: state })
    expect(attempts).toBe(5)
  })
})

describe('a transaction that another statement of its session ended', () => {
  it('fails, because COMMIT answers ROLLBACK, and runs no after-commit hook', async () => {
    const client = new pg.Client({ connectionString: database.serviceUrl })
    await client.connect()
    let followed = false
    const run = runTransaction(client, createLog({ level: 'silent', format: 'json' }), async (tx) => {
      await tx.query(insert, [1, 'one'])
      tx.afterCommit(() => (followed = true))
      await client.query('select 1 / 0').catch(() => undefined)
    })
    await expect(run).rejects.toThrow('the transaction was rolled back')
    expect([followed, await kept()]).toEqual([false, []])
    await client.end()
  })
})
