import { describe, expect, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { createBalanceReader } from '#ledger/ledger.ts'
import { openBook } from '#ledger/post.ts'
import { acceptedPostings } from '#ledger/chart.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
await asOwner(database, 'update installation set lanes = 4')
const ctx = createTestContext(database.connect())

describe('balances', () => {
  it('show the available amount, the reserved amount, and their sum', async () => {
    const { staging } = (await createBusiness(ctx, 'Holding')).tenants
    await ctx.db.transaction(async (tx) => {
      const book = await openBook(tx, [staging.id])
      const cause = { id: newUuid(ctx.clock.now()), reference: 'PAY-1', atMs: ctx.clock.now() }
      book.post(staging.id, 'NGN', cause, acceptedPostings(toMoney(5_000), toMoney(10)))
    }, staging.lane)
    expect(await createBalanceReader(ctx).read(staging)).toEqual([
      { currency: 'NGN', available: 99_999_994_990n, reserved: 5_010n, ledger: 100_000_000_000n },
    ])
  })

  it('of many tenants over several lanes come with one query per lane, on the connection of all readers', async () => {
    const businesses = await Promise.all(Array.from({ length: 40 }, (_, at) => createBusiness(ctx, `Many ${at}`)))
    const lanes = new Set(businesses.map(({ tenants }) => tenants.staging.lane))
    let asked = 0
    const query: Db['readers']['query'] = (what, values) => {
      asked += 1
      return ctx.db.readers.query<never>(what, values)
    }
    const own = createTestContext({ ...ctx.db, readers: { query } })
    const reader = createBalanceReader(own)
    const tenants = businesses.flatMap(({ tenants: both }) => [both.staging, both.production, both.staging])
    const balances = await Promise.all(tenants.map((tenant) => reader.read(tenant)))
    const [rich, poor] = [100_000_000_000n, 0n]
    expect(balances.map(([balance]) => balance?.available)).toEqual(businesses.flatMap(() => [rich, poor, rich]))
    const { values } = await own.metrics.loaderBatchSize.get()
    expect(lanes.size).toBe(4)
    expect(values.find(({ metricName }) => metricName?.endsWith('_count') === true)?.value).toBe(lanes.size)
    expect(asked).toBe(lanes.size)
  })

  it('of an unknown tenant are none', async () => {
    const nobody = { lane: 1, id: newUuid(ctx.clock.now()), environment: 'staging' } as const
    expect(await createBalanceReader(ctx).read(nobody)).toEqual([])
  })
})
