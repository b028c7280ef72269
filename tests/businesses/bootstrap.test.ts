import { describe, expect, it, onTestFinished } from 'vitest'
import { present } from '#platform/assert.ts'
import {
  createFirstBusiness,
  type FirstBusiness,
  createBusiness,
  findTenant,
  listBusinesses,
} from '#businesses/business.ts'
import { createKeyring } from '#businesses/keyring.ts'
import { listKeys } from '#businesses/keys.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'
import { createTestDatabase } from '#tests/support/database.ts'

const none = { testKey: undefined, liveKey: undefined }

/** Starts this number of processes on an empty database. */
async function processes(count: number): Promise<[TestContext, ...TestContext[]]> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const make = (): TestContext => createTestContext(database.connect())
  return [make(), ...Array.from({ length: count - 1 }, make)]
}

describe('the first run', () => {
  it('makes a business with one working key per environment, and tells them once', async () => {
    const [ctx] = await processes(1)
    const first = present(await createFirstBusiness(ctx, none), 'nothing was made')
    expect(first.testKey).toMatch(/^sk_test_[A-Za-z0-9]{40}$/)
    expect(first.liveKey).toMatch(/^sk_live_[A-Za-z0-9]{40}$/)
    expect(await listBusinesses(ctx)).toMatchObject([{ id: first.businessId, name: 'Demo Business' }])
    const keyring = createKeyring(ctx)
    for (const [key, environment] of [
      [first.testKey, 'staging'],
      [first.liveKey, 'production'],
    ] as const) {
      const tenant = await findTenant(ctx, first.businessId, environment)
      expect(await keyring.find(key)).toMatchObject({ businessId: first.businessId, tenant })
    }
    expect(await createFirstBusiness(ctx, none)).toBeUndefined()
    expect(await listBusinesses(ctx)).toHaveLength(1)
  })

  it('uses the keys of the settings', async () => {
    const [ctx] = await processes(1)
    const given = { testKey: `sk_test_${'a'.repeat(40)}`, liveKey: `sk_live_${'b'.repeat(40)}` }
    expect(await createFirstBusiness(ctx, given)).toMatchObject(given)
  })

  it('does nothing if there is a business already', async () => {
    const [ctx] = await processes(1)
    const business = await createBusiness(ctx, 'Made by hand')
    const kept: FirstBusiness[] = []
    expect(await createFirstBusiness(ctx, none, async (first) => void kept.push(first))).toBeUndefined()
    expect(await listBusinesses(ctx)).toHaveLength(1)
    expect(await listKeys(ctx, business.id)).toEqual([])
    expect(kept).toEqual([])
  })

  it('by several processes at once makes one business, and only its keys stay', async () => {
    for (let round = 0; round < 3; round++) {
      const contexts = await processes(4)
      const kept: FirstBusiness[] = []
      const results = await Promise.all(
        contexts.map((ctx) => createFirstBusiness(ctx, none, async (first) => void kept.push(first))),
      )
      const made = results.filter((result) => result !== undefined)
      expect(made).toHaveLength(1)
      expect(kept).toEqual(made)
      expect(await listBusinesses(contexts[0])).toMatchObject([{ id: made[0]?.businessId }])
    }
  })

  it('creates nothing if its keys cannot be stored, and succeeds the next time', async () => {
    const [ctx] = await processes(1)
    await expect(createFirstBusiness(ctx, none, () => Promise.reject(new Error('disk full')))).rejects.toThrow(
      'disk full',
    )
    expect(await listBusinesses(ctx)).toEqual([])
    expect(await createFirstBusiness(ctx, none)).toBeDefined()
  })
})
