import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrayOf, statement, type Db, type DbOptions, type Queryable } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { citusUrl, skipOnCitus } from '#tests/support/citus.ts'
import { openForTest, useTestDatabase } from '#tests/support/database.ts'
import { withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const db = database.connect()
await asOwner(
  database,
  `create table probe (id bigint primary key, note text);
   create table crowd (id bigint primary key, note text);
   create table late (id bigint unique deferrable initially deferred);
   grant select, insert, update on probe, crowd, late to manilla_service`,
)

const open = (options: Partial<DbOptions> = {}): Db => openForTest(database, options)

async function valueOf(from: Queryable, sql: string, values: unknown[] = []): Promise<unknown> {
  const [row] = await from.query<{ value: unknown }>(statement(`test ${sql}`.slice(0, 63), sql), values)
  return row?.value
}

describe('values', () => {
  it('keeps the last digit of a bigint beyond 2^53', async () => {
    for (const exact of [9_007_199_254_740_993n, 9_223_372_036_854_775_807n, -9_007_199_254_740_993n, 0n]) {
      expect(await valueOf(db, 'select $1::bigint as value', [exact])).toBe(exact)
    }
  })

  it('returns a time to the millisecond, with any number of digits after the second', async () => {
    const sql = 'select $1::timestamptz as value'
    for (const time of ['2026-01-15T09:30:00.123Z', '2026-01-15T09:30:00.000Z', '1999-12-31T23:59:59.999Z']) {
      expect(await valueOf(db, sql, [new Date(time)])).toEqual(new Date(time))
    }
    const end = new Date(8_640_000_000_000_000)
    expect(await valueOf(db, 'select $1::timestamptz::text as value', [end])).toBe('275760-09-13 00:00:00+00')
    const ends = arrayOf([end], (one) => one)
    expect(await valueOf(db, 'select ($1::timestamptz[])[1]::text as value', [ends])).toBe('275760-09-13 00:00:00+00')
    expect(await valueOf(db, sql, ['2026-01-15 09:30:00+00'])).toEqual(new Date('2026-01-15T09:30:00.000Z'))
    expect(await valueOf(db, sql, ['2026-01-15 09:30:00.123456+00'])).toEqual(new Date('2026-01-15T09:30:00.123Z'))
    expect(await valueOf(db, sql, ['2026-01-15 09:30:00.5+01'])).toEqual(new Date('2026-01-15T08:30:00.500Z'))
  })

  it('stores the texts of arrayOf unchanged, whatever they contain', async () => {
    const text = fc.option(
      fc.oneof(
        fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0')),
        fc.constantFrom('', 'null', 'NULL', ' ', '{}', '"', '\\', 'a,b', '{"a":"\\"b"}', 'DEP-1_2=3:4'),
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text), fc.array(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)), async (texts, numbers) => {
        expect(await valueOf(db, 'select $1::text[] as value', [arrayOf(texts, (one) => one)])).toEqual(texts)
        const shown = await valueOf(db, 'select $1::bigint[]::text[] as value', [arrayOf(numbers, (one) => one)])
        expect(shown).toEqual(numbers.map(String))
      }),
      { numRuns: 60 },
    )
    const times = [new Date('2026-01-15T09:30:00.007Z'), null]
    const echoed = await valueOf(db, 'select ($1::timestamptz[])[1] as value', [arrayOf(times, (one) => one)])
    expect(echoed).toEqual(times[0])
  })

  it('stores columns of every type unchanged, in the binary form or, if a value does not fit it, as text', async () => {
    const echo = (type: string, values: (string | number | bigint | boolean | Date | null)[]): Promise<unknown> =>
      valueOf(db, `select $1::${type}[]::text[] as value`, [arrayOf(values, (one) => one)])
    const id = '01998f2c-5f6a-7c3e-8b1d-0a9f8e7d6c5b'
    expect(await echo('uuid', [id, id, null, id.toUpperCase()])).toEqual([id, id, null, id])
    expect(await echo('uuid', [id.replaceAll('-', '')])).toEqual([id])
    await expect(echo('uuid', [id, `${id.slice(0, -1)}g`])).rejects.toMatchObject({ code: '22P02' })
    const large64 = ['1', '-1', '1099511627776', '-1099511627776', '9007199254740993', null]
    expect(await echo('bigint', [1, -1, 2 ** 40, -(2 ** 40), 9_007_199_254_740_993n, null])).toEqual(large64)
    expect(await echo('bigint', ['17', 18n])).toEqual(['17', '18'])
    await expect(echo('bigint', [1.5])).rejects.toMatchObject({ code: '22P02' })
    await expect(echo('bigint', [2n ** 63n])).rejects.toMatchObject({ code: '22003' })
    expect(await echo('integer', [-(2 ** 31), 2 ** 31 - 1])).toEqual(['-2147483648', '2147483647'])
    await expect(echo('smallint', [2 ** 15])).rejects.toMatchObject({ code: '22003' })
    expect(await echo('boolean', [true, false, null])).toEqual(['true', 'false', null])
    expect(await echo('numeric', [1, 2n, null])).toEqual(['1', '2', null])
    expect(await echo('text', [])).toEqual([])
    const times = ['1969-12-31T23:59:59.999Z', '2026-01-15T09:30:00.007Z', '2400-02-29T00:00:00.000Z']
    const read = await valueOf(db, 'select array(select t::text from unnest($1::timestamptz[]) as t) as value', [
      arrayOf(times, (time) => new Date(time)),
    ])
    expect((read as string[]).map((text) => new Date(text.replace('+00', 'Z')).toISOString())).toEqual(times)
    const large = Array.from({ length: 3_000 }, (_, at) => `${at} ${'ü€𝄞'.repeat(200)}`)
    expect(await echo('text', large)).toEqual(large)
  })

  it('refuses an object before anything is sent', async () => {
    await expect(valueOf(db, 'select $1::text as value', [{ amount: 1n }])).rejects.toThrow(/was given an object/)
    await expect(valueOf(db, 'select $1::text[] as value', [['a', { b: 1 }]])).rejects.toThrow(/was given an object/)
  })
})

describe('statements', () => {
  it('are refused if two texts have one name', () => {
    statement('test.twice', 'select 1')
    expect(statement('test.twice', 'select 1').text).toBe('select 1')
    expect(() => statement('test.twice', 'select 2')).toThrow('two statements have the name test.twice')
    expect(() => statement('x'.repeat(64), 'select 1')).toThrow(/cuts the name/)
  })

  it('that were prepared on an empty table are planned again on the pool, and keep a plan by key elsewhere', async (context) => {
    skipOnCitus(context, 'each execution is planned, because a kept plan does not know the lane')
    const opened = open({ poolSizeMax: 1 })
    const find = statement('test.plans', 'select note as value from crowd where id = any($1::bigint[])')
    const used = statement(
      'test.plans_used',
      `select generic_plans, custom_plans from pg_prepared_statements where name = 'test.plans'`,
    )
    const explained = statement('test.explained', `explain execute "test.plans"('{1}')`)
    const connection = opened.connection('plans')
    for (const on of [opened, connection]) for (let use = 0; use < 10; use++) await on.query(find, [[1n]])
    await asOwner(database, "insert into crowd select n, 'note ' || n from generate_series(1, 20000) as n")
    for (const on of [opened, connection]) for (let use = 0; use < 10; use++) await on.query(find, [[1n]])
    expect(await opened.query(used)).toEqual([{ generic_plans: 0n, custom_plans: 20n }])
    expect(await connection.query(used)).toEqual([{ generic_plans: 20n, custom_plans: 0n }])
    expect(JSON.stringify(await connection.query(explained))).toContain('Index Scan using crowd_pkey')
  })

  it('fail if PostgreSQL refuses their commit after it has run them', async () => {
    const insert = statement('test.late_refusal', 'insert into late (id) select unnest($1::bigint[])')
    for (const on of [db, db.connection('late')])
      await expect(on.query(insert, [arrayOf([7n, 7n], (id) => id)])).rejects.toMatchObject({ code: '23505' })
    expect(await valueOf(db, 'select count(*)::int as value from late')).toBe(0)
  })

  it('that take too long are ended as Unavailable', async () => {
    const impatient = open({ statementTimeoutMs: 1_000 })
    const slow = valueOf(impatient, 'select pg_sleep(20)::text as value')
    await expect(slow).rejects.toBeInstanceOf(Unavailable)
    expect(await valueOf(impatient, 'select 1 as value')).toBe(1)
  })
})

describe('sessions', () => {
  it('have their settings, on the pool and on connections of their own', async () => {
    for (const [from, idle, plans] of [
      [db, '30s', 'force_custom_plan'],
      [open().connection('settings'), '5s', citusUrl === undefined ? 'force_generic_plan' : 'auto'],
    ] as const) {
      expect(await valueOf(from, 'select current_user::text as value')).toBe(serviceRole)
      expect(await valueOf(from, "select current_setting('TimeZone') as value")).toBe('UTC')
      expect(await valueOf(from, "select current_setting('plan_cache_mode') as value")).toBe(plans)
      expect(await valueOf(from, "select current_setting('enable_sort') as value")).toBe('off')
      expect(await valueOf(from, "select current_setting('jit') as value")).toBe('off')
      expect(await valueOf(from, "select current_setting('statement_timeout') as value")).toBe('30s')
      expect(await valueOf(from, "select current_setting('idle_in_transaction_session_timeout') as value")).toBe(idle)
    }
  })

  it('keep their settings when the address brings options of its own, and take those that do not contradict', async () => {
    const options =
      'options=-c%20plan_cache_mode%3Dforce_generic_plan%20-c%20work_mem%3D5MB%20-c%20TimeZone%3DAsia/Tokyo'
    const opened = open({ url: `${database.ownerUrl}${database.ownerUrl.includes('?') ? '&' : '?'}${options}` })
    expect(await valueOf(opened, 'select current_user::text as value')).toBe(serviceRole)
    expect(await valueOf(opened, "select current_setting('plan_cache_mode') as value")).toBe('force_custom_plan')
    expect(await valueOf(opened, "select current_setting('TimeZone') as value")).toBe('UTC')
    expect(await valueOf(opened, "select current_setting('work_mem') as value")).toBe('5MB')
  })

  it('set the role, so that a service that signs in as the owner has only the rights of the role', async () => {
    const opened = open({ url: database.ownerUrl })
    await expect(valueOf(opened, 'delete from ledger_movement')).rejects.toMatchObject({ code: '42501' })
  })

  it('that were left inside a transaction are not used again', async () => {
    const opened = open({ poolSizeMax: 1 })
    const begin = statement('test.begin', 'begin')
    await opened.query(begin)
    expect(await valueOf(opened, 'select txid_current_if_assigned() is null as value')).toBe(true)
    await opened.query(begin) // Within an open transaction this would only be a warning.
    await opened.query(statement('test.left_insert', 'insert into crowd (id) values (-1)'))
    expect(await valueOf(db, 'select count(*)::int as value from crowd where id = -1')).toBe(1)
  })

  it('that cannot be opened are Unavailable, not an error of the work', async () => {
    for (const options of [
      { role: 'nobody_like_that' },
      { url: withDatabase(database.serviceUrl, 'no_such_database') },
    ]) {
      const opened = open(options)
      await expect(valueOf(opened, 'select 1 as value')).rejects.toBeInstanceOf(Unavailable)
      await expect(valueOf(opened.connection('unheard'), 'select 1 as value')).rejects.toBeInstanceOf(Unavailable)
    }
  })
})

describe('a connection', () => {
  it('serves calls in their order: no query runs inside the transaction of another caller', async () => {
    const connection = open().connection('order')
    const insert = statement('test.order_insert', 'insert into probe (id) values ($1)')
    const count = statement(
      'test.order_count',
      'select count(*) as value, pg_current_xact_id_if_assigned() is not null as inside from probe',
    )
    const before = connection.query(count)
    const doomed = connection.transaction(async (tx) => {
      await tx.query(insert, [1])
      await tx.query(count)
      throw new Error('undo')
    })
    const between = connection.query(count)
    const kept = connection.transaction((tx) => tx.query(insert, [2]))
    const after = connection.query(count)
    await expect(doomed).rejects.toThrow('undo')
    await kept
    expect([await before, await between, await after]).toEqual([
      [{ value: 0n, inside: false }],
      [{ value: 0n, inside: false }],
      [{ value: 1n, inside: false }],
    ])
  })

  it('refuses work after it was closed and finishes earlier work', async () => {
    const connection = open().connection('closing')
    await connection.query(statement('test.closing_warm', 'select 1'))
    const running = valueOf(connection, 'select pg_sleep(0.05)::text as value')
    const transaction = connection.transaction((tx) => valueOf(tx, 'select 7 as value'))
    await transaction
    const closing = connection.close()
    await expect(running).resolves.toBe('')
    await closing
    await expect(valueOf(connection, 'select 1 as value')).rejects.toBeInstanceOf(Unavailable)
  })
})

describe('a read of a page', () => {
  it('has separate connections: however many pages wait, other reads are served', async () => {
    const own = open({ poolSizeMax: 1 })
    const slow = Array.from({ length: 4 }, () => own.aside(() => valueOf(own, 'select pg_sleep(1)::text as value')))
    expect(await valueOf(own, 'select 1 as value')).toBe(1)
    const names = own.aside(() => valueOf(own, `select current_setting('statement_timeout') as value`))
    expect(await names).toBe('5s')
    expect(await valueOf(own, `select current_setting('statement_timeout') as value`)).toBe('30s')
    await Promise.all(slow)
    await own.close()
  })

  it('is ended as Unavailable when it takes too long', async () => {
    const own = open()
    await expect(own.aside(() => valueOf(own, 'select pg_sleep(60)::text as value'))).rejects.toThrow(Unavailable)
    await own.close()
  })
})
