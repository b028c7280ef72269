// The walk of the proofs: every lane that has rows, and the tenants from one id to another.

import { beforeEach, expect, it } from 'vitest'
import { inLane, statement } from '#platform/db/db.ts'
import { firstUuid, lastUuid, type Uuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { accountPages, entryPages, lanesWithRows } from '#ledger/verify-queries.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { pageOf, scanPages, wrongOf } from '#ledger/table-scan.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { day, idAt, keepMovements } from './kept-entries.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const lane = inLane(ctx.db, 1)

type Wrong = { tenantId: Uuid; currency: string; count: bigint; ids: Uuid[] }

beforeEach(() => asOwner(database, 'truncate ledger_movement, ledger_account'))

it('every lane is proved that has accounts or movements, in their order', async () => {
  await asOwner(database, 'alter table ledger_account drop constraint if exists ledger_account_lane_tenant_id_fkey')
  for (const number of [1, 2, 4])
    await asOwner(
      database,
      `insert into ledger_account (lane, tenant_id, currency, name) values ($1, gen_random_uuid(), 'NGN', 'rail')`,
      [number],
    )
  for (const number of [3, 4, 5, 9]) {
    const nobody = { lane: number, id: idAt(day(number)), environment: 'staging' } as const
    await keepMovements(database, nobody, [{ at: day(1), amount: 1 }])
  }
  const found = []
  for await (const number of lanesWithRows(ctx.db)) found.push(number)
  expect(found).toEqual([1, 2, 3, 4, 5, 9])
})

it('books without an entry are right', async () => {
  await createBusiness(ctx, 'Empty')
  await asOwner(database, 'truncate ledger_movement')
  await asOwner(database, 'update ledger_account set debits = 0, credits = 0, movements = 0')
  expect(await verifyLedger(ctx)).toEqual([])
})

it('pages of accounts leave no tenant out, also one that has a single account', async () => {
  for (const name of ['One', 'Two']) await createBusiness(ctx, name)
  await asOwner(database, `delete from ledger_account where name <> 'rail'`)
  const [tenants, counts] = [[] as Uuid[], [] as number[]]
  for await (const { accounts } of accountPages({ lane, rowsPerPage: 2, from: firstUuid, upTo: lastUuid })) {
    tenants.push(...accounts.map(({ tenantId }) => tenantId))
    counts.push(accounts.length)
  }
  expect(counts).toEqual([2, 2, 0])
  expect(tenants).toEqual(tenants.toSorted())
  expect(new Set(tenants).size).toBe(4)
})

it('entries are looked at up to the last tenant of the walk, and each is counted once', async () => {
  const { staging, production } = (await createBusiness(ctx, 'Bounds')).tenants
  for (const tenant of [staging, production]) {
    await asOwner(database, 'delete from ledger_movement where tenant_id = $1', [tenant.id])
    await keepMovements(
      database,
      tenant,
      [2, 3, 5].map((entry) => ({ at: day(entry), amount: 1, entry, balanceAfter: entry - 1 })),
    )
  }
  for (const { id } of [staging, production]) {
    for (const rowsPerPage of [1, 2, 3, 100]) {
      const [broken, counts] = [[] as unknown[], [] as number[]]
      for await (const { rows, parts } of entryPages({ lane, rowsPerPage, from: id, upTo: id })) {
        broken.push(...parts.flatMap(({ tenantId, ids }) => ids.map((one) => [tenantId, one])))
        counts.push(rows)
      }
      expect(broken).toEqual([
        [id, idAt(day(2))],
        [id, idAt(day(5))],
      ])
      expect(counts.reduce((sum, count) => sum + count)).toBe(3)
      expect(Math.max(...counts)).toBeLessThanOrEqual(rowsPerPage)
    }
  }
})

it('the findings of a page are counted by tenant and message, and list their ids', async () => {
  const { production, staging } = (await createBusiness(ctx, 'Wrong')).tenants
  await asOwner(database, 'truncate ledger_movement')
  const kept = [4, 2, 3, 1].map((number) => ({ at: day(number), amount: number }))
  for (const tenant of [production, staging])
    await keepMovements(database, tenant, [...kept, { at: day(5), amount: 9, currency: 'GHS' }])
  const isWrong = '(select tenant_id, id, currency, amount > 2 as is_wrong from page) as judged'
  const page = pageOf({
    table: 'ledger_movement',
    key: 'id',
    columns: 'currency, amount',
    parts: wrongOf(isWrong, ['currency']),
  })
  const walk = { lane, rowsPerPage: 100, from: production.id, upTo: production.id }
  const found = []
  for await (const { parts } of scanPages<Wrong>(statement('test.wrong', page), firstUuid, walk)) found.push(...parts)
  expect(found.toSorted((left, right) => left.ids.length - right.ids.length)).toMatchObject([
    { tenantId: production.id, currency: 'GHS', count: 1n, ids: [idAt(day(5))] },
    { tenantId: production.id, currency: 'NGN', count: 2n, ids: [idAt(day(3)), idAt(day(4))] },
  ])
})
