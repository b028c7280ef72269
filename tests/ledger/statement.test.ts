// The statement of a balance in lists, periods and files: complete in the table, or with its beginning in archive
// files.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Db, Statement } from '#platform/db/db.ts'
import type { TimeRange } from '#platform/db/numbered-list.ts'
import { createBusiness } from '#businesses/business.ts'
import { listEntries, countStatement, entriesSummedMax, readStatement, walkStatement } from '#ledger/statement.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { day, idAt, keepMovements, keepSeal, keepSums } from './kept-entries.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
let tenant: Tenant

/** The days of the six entries: three credits and three debits. */
const days = [1, 2, 3, 10, 11, 12].map(day)
const changes = [100, -30, 20, 7, -5, -2]
const balances = [100, 70, 90, 97, 92, 90]

beforeEach(async () => {
  const { production, staging } = (await createBusiness(ctx, 'Statement')).tenants
  await asOwner(database, 'truncate ledger_movement, ledger_archive, ledger_archive_sum')
  tenant = production
  for (const [index, at] of days.entries()) {
    const [change = 0, balanceAfter = 0] = [changes[index], balances[index]]
    const sides = change < 0 ? { debit: 'available', credit: 'reserved' } : {}
    const entry = { at, amount: Math.abs(change), entry: index + 1, balanceAfter, ...sides }
    const foreign = { ...entry, amount: 1_000, balanceAfter: 1_000 }
    // Rows that are no entry of this statement: a movement of another account, another currency, and another tenant.
    const unlisted = { at, id: idAt(at, 2), amount: 3, debit: 'reserved', credit: 'rail' }
    await keepMovements(database, tenant, [entry, unlisted, { ...foreign, id: idAt(at, 3), currency: 'GHS' }])
    await keepMovements(database, staging, [foreign])
  }
})

/** Archives the first three entries, and a month in which only the tenant's other accounts moved. */
async function archive(): Promise<void> {
  for (const until of [2, 4, 8]) await keepSeal(database, tenant.lane, day(until))
  await keepSums(database, tenant, [
    { until: day(2), lastEntry: 1, balanceAfter: 100 },
    { until: day(4), lastEntry: 3, balanceAfter: 90 },
    { until: day(8), name: 'rail' },
    { until: day(8), currency: 'GHS', lastEntry: 3, balanceAfter: 1_000 },
  ])
  await asOwner(database, 'delete from ledger_movement where created_at < $1', [day(8)])
}

const list = (page: number, limit: number, time: TimeRange = {}) =>
  listEntries(ctx, tenant, 'NGN', { page, limit, ...time })
const read = (time: TimeRange = {}, page = 1, limit = 100) =>
  readStatement(ctx, tenant, 'NGN', { page, limit, ...time })
const isArchived = (field: string) => ({ kind: 'archived', until: day(8), field })

async function walked(time: TimeRange = {}): Promise<bigint[][]> {
  const pieces = []
  for await (const piece of walkStatement(ctx, tenant, 'NGN', time)) pieces.push(piece.map(({ number }) => number))
  return pieces
}

describe('a list', () => {
  const page = (numbers: number[], total: number) => ({
    kind: 'page',
    total,
    entries: numbers.map((number) => ({
      number: BigInt(number),
      amount: BigInt(changes[number - 1] ?? 0),
      balanceAfter: BigInt(balances[number - 1] ?? 0),
      createdAt: days[number - 1],
    })),
  })

  it('has the latest first, signed, of one tenant and currency', async () => {
    expect(await list(1, 10)).toMatchObject(page([6, 5, 4, 3, 2, 1], 6))
    expect(await list(2, 4)).toMatchObject(page([2, 1], 6))
    expect(await list(1, 2, { from: day(2), before: day(11) })).toMatchObject(page([4, 3], 3))
  })

  it('goes as far as there are entries, and says since when that is', async () => {
    await archive()
    expect(await list(1, 3)).toMatchObject(page([6, 5, 4], 6))
    for (const [number, limit] of [
      [1, 4],
      [2, 3],
      [2, 4],
    ] as const)
      expect(await list(number, limit)).toEqual(isArchived('page'))
    expect(await list(3, 3)).toEqual({ kind: 'page', entries: [], total: 6 })
  })

  it('may begin where files end, and not before; or end there', async () => {
    await archive()
    expect(await list(1, 10, { from: day(8) })).toMatchObject(page([6, 5, 4], 3))
    expect(await list(1, 10, { from: new Date(day(8).getTime() - 1) })).toEqual(isArchived('from'))
    expect(await list(1, 10, { before: new Date(day(8).getTime() - 1) })).toEqual(isArchived('to'))
    expect(await list(1, 10, { before: day(8) })).toEqual(isArchived('page'))
    expect(await list(1, 1, { before: day(11) })).toMatchObject(page([4], 4))
  })

  it('that lacks an entry which is in no file shows the others', async () => {
    await asOwner(database, 'delete from ledger_movement where entry = 5')
    expect(await list(1, 3)).toMatchObject(page([6, 4], 6))
    await archive()
    expect(await list(1, 3)).toMatchObject(page([6, 4], 6))
  })
})

describe('a period', () => {
  it('shows the balance before, the credits and debits, and the balance after', async () => {
    const whole = { kind: 'statement', opening: 0n, closing: 90n, sumIn: 127n, sumOut: 37n, adds: true, total: 6 }
    expect(await read()).toMatchObject(whole)
    const [first, second] = [
      { number: 4n, in: 7n, out: 0n, balanceAfter: 97n },
      { number: 3n, in: 20n, out: 0n, balanceAfter: 90n },
    ]
    expect(await read({ from: day(2), before: day(11) })).toMatchObject({
      opening: 100n,
      closing: 97n,
      sumIn: 27n,
      sumOut: 30n,
      adds: true,
      total: 3,
      entries: [first, second, { number: 2n, in: 0n, out: 30n, balanceAfter: 70n }],
    })
    expect(await read({}, 2, 2)).toMatchObject({ ...whole, entries: [first, second] })
    expect(await read({ from: day(20) })).toMatchObject({ opening: 90n, closing: 90n, adds: true, total: 0 })
  })

  it('does not add up when an amount in it was changed, or an entry before it is gone', async () => {
    await asOwner(database, 'update ledger_movement set amount = amount + 1 where tenant_id = $1 and entry = 3', [
      tenant.id,
    ])
    expect(await read({ from: day(2) })).toMatchObject({ sumIn: 28n, closing: 90n, adds: false })
    expect(await read({ from: day(10) })).toMatchObject({ adds: true })
    await asOwner(database, 'delete from ledger_movement where tenant_id = $1 and entry = 3', [tenant.id])
    expect(await read({ from: day(10) })).toMatchObject({ opening: 0n, adds: false })
  })

  it('may begin with what files left, and not before', async () => {
    await archive()
    const rest = { opening: 90n, closing: 90n, sumIn: 7n, sumOut: 7n, adds: true, total: 3 }
    expect(await read({ from: day(8) })).toMatchObject(rest)
    expect(await read()).toEqual(isArchived('from'))
    expect(await read({ before: day(12) })).toEqual(isArchived('from'))
    expect(await read({ from: day(8), before: day(9) })).toMatchObject({ opening: 90n, closing: 90n, total: 0 })
    expect(await countStatement(ctx, tenant, 'NGN', { from: day(8) })).toEqual({ kind: 'count', count: 3 })
    expect(await countStatement(ctx, tenant, 'NGN', {})).toEqual(isArchived('from'))
  })

  it.each([
    ['its sums', 'ledger.sum_entries', {}, isArchived('from')],
    ['its opening balance', 'ledger.entries.page', { from: day(8) }, { opening: 90n, closing: 90n, adds: true }],
  ])('says what is in files if a month is archived before it reads %s', async (_what, name, time, expected) => {
    let isDone: Promise<void> | undefined
    const db: Db = {
      ...ctx.db,
      async query<R extends object>(what: Statement, values?: readonly unknown[]) {
        if (what.name === name) await (isDone ??= archive())
        return ctx.db.query<R>(what, values)
      },
    }
    expect(await readStatement({ db }, tenant, 'NGN', { page: 1, limit: 100, ...time })).toMatchObject(expected)
  })

  it('may have a million entries and no more', async () => {
    const number = (entry: bigint): Promise<unknown> =>
      asOwner(
        database,
        'update ledger_movement set entry = $2 where tenant_id = $1 and created_at = $3 and entry > 5',
        [tenant.id, entry, day(12)],
      )
    expect(entriesSummedMax).toBe(1_000_000n)
    await number(1_000_000n)
    expect(await read()).toMatchObject({ kind: 'statement', total: 1_000_000, sumIn: 127n })
    await number(1_000_001n)
    expect(await read()).toEqual({ kind: 'too-long' })
    expect(await read({ from: day(10) })).toMatchObject({ kind: 'statement', total: 999_998 })
  })
})

describe('a file', () => {
  it('has all entries of a period, the latest first', async () => {
    expect(await walked()).toEqual([[6n, 5n, 4n, 3n, 2n, 1n]])
    expect(await walked({ from: day(3), before: day(12) })).toEqual([[5n, 4n, 3n]])
  })

  it('fails for a period that is not whole, also if it became so after its entries were counted', async () => {
    await asOwner(database, 'delete from ledger_movement where tenant_id = $1 and entry = 2', [tenant.id])
    await expect(walked()).rejects.toThrow('Some of these entries have been archived meanwhile.')
    await archive()
    await expect(walked()).rejects.toThrow('Some of these entries have been archived meanwhile.')
    expect(await walked({ from: day(8) })).toEqual([[6n, 5n, 4n]])
  })
})
