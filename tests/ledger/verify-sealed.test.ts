// The proofs with archived months: the seals prove movements that are dated before their end, the table proves the
// rest.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createBusiness } from '#businesses/business.ts'
import { type Breach, archiveInvariants, ledgerInvariants, verifyLedger, type VerifyOptions } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { day, idAt, keepMovements, keepSeal, keepSums, type KeptSum } from './kept-entries.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
let tenant: Tenant
let neighbour: Tenant

const change = (sql: string): Promise<unknown> => asOwner(database, sql, sql.includes('$1') ? [tenant.id] : [])

/**
 * Naira: entries 1 to 3 are sealed, and the third is still in the table; 4 and 5 are not sealed. Cedis: 1 and 2 are
 * sealed, 3 is not.
 */
beforeEach(async () => {
  await asOwner(
    database,
    'truncate ledger_movement, ledger_archive, ledger_archive_sum, ledger_archive_digest, ledger_account',
  )
  const { tenants } = await createBusiness(ctx, 'Sealed')
  tenant = tenants.production
  neighbour = tenants.staging
  for (const until of [2, 3, 4]) await keepSeal(database, 1, day(until))
  const sum = (until: number, name: string, movements: number, amounts: Omit<KeptSum, 'until'>) => ({
    until: day(until),
    name,
    movements,
    ...amounts,
  })
  await keepSums(database, tenant, [
    sum(2, 'available', 1, { credits: 100, lastEntry: 1, balanceAfter: 100 }),
    sum(2, 'rail', 1, { debits: 100 }),
    sum(3, 'available', 2, { credits: 50, lastEntry: 3, balanceAfter: 150 }),
    sum(3, 'rail', 2, { debits: 50 }),
    // Neither account has entries.
    sum(4, 'rail', 1, { debits: 5 }),
    sum(4, 'fees', 1, { credits: 5 }),
    sum(4, 'available', 2, { currency: 'GHS', credits: 9, lastEntry: 2, balanceAfter: 9 }),
    sum(4, 'rail', 2, { currency: 'GHS', debits: 9 }),
  ])
  await keepMovements(database, tenant, [
    { at: new Date(day(3).getTime() - 1), amount: 30, entry: 3, balanceAfter: 150 },
    { at: day(4), amount: 7, entry: 4, balanceAfter: 157 },
    { at: day(5), amount: 2, entry: 5, balanceAfter: 159 },
    { at: day(5), id: idAt(day(5), 2), amount: 1, entry: 3, balanceAfter: 10, currency: 'GHS' },
  ])
  await asOwner(
    database,
    `insert into ledger_account (lane, tenant_id, currency, name) values (1, $1, 'GHS', 'available'), (1, $1, 'GHS', 'rail')`,
    [tenant.id],
  )
  for (const [currency, name, debits, credits, movements] of [
    ['NGN', 'available', 0, 159, 5],
    ['NGN', 'rail', 164, 0, 6],
    ['NGN', 'fees', 0, 5, 1],
    ['GHS', 'available', 0, 10, 3],
    ['GHS', 'rail', 10, 0, 3],
  ]) {
    await asOwner(
      database,
      `update ledger_account set debits = $4, credits = $5, movements = $6, touched_at = $7
        where tenant_id = $1 and currency = $2 and name = $3`,
      [tenant.id, currency, name, debits, credits, movements, day(5)],
    )
  }
})

/** The result must be the same for all page sizes, and for tenants in one snapshot or as large ones. */
async function breaches(options: VerifyOptions = {}): Promise<Breach[]> {
  const [found = [], ...others] = await Promise.all(
    [20_000, 1, 2, 3].flatMap((rowsPerPage) =>
      [200_000, 0].map((rowsPerSnapshot) => verifyLedger(ctx, { rowsPerPage, rowsPerSnapshot, ...options })),
    ),
  )
  for (const other of others) expect(other).toEqual(found)
  return found
}

const [totals, , , entries] = ledgerInvariants.map(({ name }) => name)

describe('books with sealed months', () => {
  it('have no breach when they are right', async () => {
    expect(await breaches()).toEqual([])
  })

  it('are walked with word of how far', async () => {
    const heard = new Map<string, number>()
    await verifyLedger(ctx, { onProgress: ({ checked, what }) => heard.set(what, checked) })
    // Eight sums, four movements, and one movement of the neighbor.
    expect(heard.get(totals ?? '')).toBe(8 + 4 + 1)
  })

  it.each([
    ['an amount', `credits = credits + 1 where name = 'fees'`, 'NGN fees has credits 5 instead of 6'],
    ['a number', `movements = 2 where name = 'fees'`, 'NGN fees has movements 1 instead of 2'],
    [
      'an account',
      `name = 'opening' where name = 'fees'`,
      'NGN fees has credits 5 instead of 0, movements 1 instead of 0',
    ],
  ])('have one when a seal says another %s', async (_what, set, message) => {
    await change(`update ledger_archive_sum set ${set}`)
    expect((await breaches())[0]).toEqual({ invariant: totals, tenantId: tenant.id, ids: ['NGN fees'], message })
  })

  it.each([
    ['number', 'last_entry = 2'],
    ['balance', 'balance_after = 151'],
  ])('have one when the first entry does not follow from the %s that the last seal tells', async (_what, set) => {
    await change(`update ledger_archive_sum set ${set} where last_entry = 3`)
    expect(await breaches()).toMatchObject([{ invariant: entries, ids: [idAt(day(4))] }])
  })

  it('have one when their first entry is not 1', async () => {
    await change('update ledger_movement set entry = 2 where entry = 1')
    expect(await breaches()).toMatchObject([{ invariant: entries, tenantId: neighbour.id }])
  })
})

describe('an archived month', () => {
  const found = () => breaches({ invariants: archiveInvariants })
  const digest = (value: number): string => `'\\x${value.toString(16).padStart(2, '0').repeat(32)}'`

  async function told(): Promise<number[]> {
    const counts: number[] = []
    const onProgress = ({ checked }: { checked: number }): unknown => counts.push(checked)
    await verifyLedger(ctx, { invariants: archiveInvariants, onProgress })
    return counts
  }

  /** Three successive months. The third is still in the table. */
  beforeEach(async () => {
    await change('truncate ledger_archive')
    for (const [at, [since, until]] of [
      [1, 2],
      [2, 4],
      [4, 8],
    ].entries()) {
      await asOwner(
        database,
        `insert into ledger_archive (lane, since, until, rows, removed, digest, previous, sealed_at, removed_at)
         values (1, $1, $2, 0, 0, ${digest(at + 1)}, ${at === 0 ? 'null' : digest(at)}, $2, $3)`,
        [day(since ?? 0), day(until ?? 0), until === 8 ? null : day(9)],
      )
    }
    await change('delete from ledger_movement where created_at < $1'.replace('$1', `'${day(4).toISOString()}'`))
  })

  it('is proved when the months follow each other and the table has none of their rows', async () => {
    expect(await found()).toEqual([])
    // Three months, and four movements.
    expect(await told()).toEqual([3, 7])
  })

  it.each([
    ['2026-01', 'begins with one before it', `previous = ${digest(9)} where until = '2026-01-02Z'`],
    ['2026-01', 'does not know the digest of the one before it', `previous = ${digest(9)} where until = '2026-01-04Z'`],
    ['2026-01', 'knows of none before it', `previous = null where until = '2026-01-04Z'`],
    [
      '2026-01',
      'begins later than the one before it ended',
      `since = '2026-01-02T00:00:01Z' where until = '2026-01-04Z'`,
    ],
  ])('is a chain: the proof reports a month of %s that %s', async (month, _what, set) => {
    await change(`update ledger_archive set ${set}`)
    expect(await found()).toMatchObject([
      { ids: [month], message: 'lane 1: an archived month of movements does not follow from the one before it' },
    ])
  })

  it('is reported by tenant if its rows are still in the table; a row at its end belongs to the next month', async () => {
    await keepMovements(database, neighbour, [
      { at: day(3), amount: 1 },
      { at: day(2), amount: 1 },
    ])
    await keepMovements(database, tenant, [{ at: day(1), amount: 1 }])
    const message = 'movements of a month whose rows were all taken out'
    const strays = (await found()).toSorted((left, right) => left.ids.length - right.ids.length)
    expect(strays).toMatchObject([
      { tenantId: tenant.id, ids: [idAt(day(1))], message },
      { tenantId: neighbour.id, ids: [idAt(day(2)), idAt(day(3))], message },
    ])
  })

  it('is not looked for before a month was taken out', async () => {
    await keepMovements(database, neighbour, [{ at: day(3), amount: 1 }])
    await change('update ledger_archive set removed_at = null')
    expect(await found()).toEqual([])
    expect(await told()).toEqual([3])
  })
})
