import { describe, expect, it } from 'vitest'
import { createBusiness, findTenant, listBusinesses } from '#businesses/business.ts'
import { createBalanceReader } from '#ledger/ledger.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())

describe('a new business', () => {
  it('exists in both environments, in one lane, and is found in each', async () => {
    const business = await createBusiness(ctx, 'Ada & Sons')
    const { staging, production } = business.tenants
    expect(staging.id).not.toBe(production.id)
    expect(staging).toEqual({ lane: 1, id: staging.id, environment: 'staging' })
    expect(production).toEqual({ lane: 1, id: production.id, environment: 'production' })
    expect(await findTenant(ctx, business.id, 'staging')).toEqual(staging)
    expect(await findTenant(ctx, business.id, 'production')).toEqual(production)
    expect(await findTenant(ctx, staging.id, 'staging')).toBeUndefined()
  })

  it('has ₦1,000,000,000.00 on staging and nothing on production', async () => {
    const { tenants } = await createBusiness(ctx, 'Rich')
    const balances = createBalanceReader(ctx)
    const rich = { currency: 'NGN', available: 100_000_000_000n, reserved: 0n, ledger: 100_000_000_000n }
    expect(await balances.read(tenants.staging)).toEqual([rich])
    expect(await balances.read(tenants.production)).toEqual([
      { currency: 'NGN', available: 0n, reserved: 0n, ledger: 0n },
    ])
  })

  it('has every account of the chart, and one movement that explains the opening balance', async () => {
    const { id, tenants } = await createBusiness(ctx, 'Explained')
    const accounts = await asOwner(
      database,
      'select tenant_id, name, debits, credits, movements from ledger_account where tenant_id = any($1) order by tenant_id, name',
      [[tenants.staging.id, tenants.production.id]],
    )
    const empty = { debits: '0', credits: '0', movements: '0' }
    const names = ['adjustments', 'available', 'fees', 'opening', 'rail', 'reserved']
    expect(accounts).toEqual([
      ...names.map((name) => ({ tenant_id: tenants.staging.id, name, ...empty, ...opened(name) })),
      ...names.map((name) => ({ tenant_id: tenants.production.id, name, ...empty })),
    ])
    expect(
      await asOwner(
        database,
        'select tenant_id, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at from ledger_movement where tenant_id = any($1)',
        [[tenants.staging.id, tenants.production.id]],
      ),
    ).toEqual([
      {
        tenant_id: tenants.staging.id,
        debit: 'opening',
        credit: 'available',
        amount: '100000000000',
        kind: 'opening',
        source_id: id,
        reference: 'opening balance',
        entry: '1',
        balance_after: '100000000000',
        created_at: new Date(ctx.clock.now()),
      },
    ])
  })

  it('is not made at all when a part of it is refused', async () => {
    await expect(createBusiness(ctx, '')).rejects.toMatchObject({ code: '23514' })
    expect(await asOwner(database, `select 1 from business where name = ''`)).toEqual([])
  })
})

function opened(name: string): Record<string, string> {
  if (name === 'available') return { credits: '100000000000', movements: '1' }
  return name === 'opening' ? { debits: '100000000000', movements: '1' } : {}
}

describe('businesses', () => {
  it('are listed as they were made', async () => {
    const before = (await listBusinesses(ctx)).length
    const made = [await createBusiness(ctx, 'First'), await createBusiness(ctx, 'Second')]
    ctx.clock.advance(1)
    made.push(await createBusiness(ctx, 'Third'))
    expect((await listBusinesses(ctx)).slice(before)).toEqual(
      made.map(({ id, name, createdAt }) => ({ id, name, createdAt })),
    )
  })

  it('spread over the lanes of the database, each of them staying in one', async () => {
    await asOwner(database, 'update installation set lanes = 4')
    const made = await Promise.all(Array.from({ length: 40 }, (_, index) => createBusiness(ctx, `Spread ${index}`)))
    for (const { tenants } of made) expect(tenants.production.lane).toBe(tenants.staging.lane)
    expect(new Set(made.map(({ tenants }) => tenants.staging.lane))).toEqual(new Set([1, 2, 3, 4]))
    const rows = await asOwner(
      database,
      'select 1 from tenant t join ledger_account a on a.tenant_id = t.id and a.lane <> t.lane',
    )
    expect(rows).toEqual([])
  })
})
