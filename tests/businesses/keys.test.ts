import { createHash } from 'node:crypto'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statement } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { createKeyring, unrestricted } from '#businesses/keyring.ts'
import { createKey, listKeys, overlapHoursMax, revokeKey, rollKey, type KeyChange } from '#businesses/keys.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const hourMs = 3_600_000

const works = async (secret: string): Promise<boolean> => (await createKeyring(ctx).find(secret)) !== undefined

function done<T>(change: KeyChange<T>): T {
  if (change.kind !== 'done') throw new Error(`the change ended as ${change.kind}`)
  return change.key
}

describe('creating', () => {
  it('gives a key of the environment, shown once and with what a list shows of it', async () => {
    const { tenants } = await createBusiness(ctx, 'Creating')
    for (const [tenant, prefix] of [
      [tenants.staging, 'sk_test_'],
      [tenants.production, 'sk_live_'],
    ] as const) {
      const { secret, ...key } = await createKey(ctx, tenant, 'Backend')
      expect(secret).toMatch(new RegExp(`^${prefix}[A-Za-z0-9]{40}$`))
      expect(key).toEqual({
        id: expect.any(String),
        environment: tenant.environment,
        prefix,
        lastFour: secret.slice(-4),
        name: 'Backend',
        status: 'active',
        createdAt: new Date(ctx.clock.now()),
        lastUsedAt: null,
        expiresAt: null,
        revokedAt: null,
        scopes: ['read', 'collect', 'payout', 'webhooks', 'sandbox'],
        allow: null,
        createdBy: ctx.by.name,
      })
      expect(await works(secret)).toBe(true)
    }
  })

  it('stores the SHA-256 of a key and nothing that reveals the key', async () => {
    const { tenants } = await createBusiness(ctx, 'At rest')
    const { id, secret } = await createKey(ctx, tenants.production, 'Backend')
    const [row] = await asOwner<{ all: string; hash: Buffer }>(
      database,
      'select api_key::text as all, hash from api_key where id = $1',
      [id],
    )
    expect(row?.hash).toEqual(createHash('sha256').update(secret).digest())
    expect(row?.all).not.toContain(secret.slice(8, -4))
    expect(row?.all).toContain(secret.slice(-4))
  })

  it('refuses a key that exists already', async () => {
    const { tenants } = await createBusiness(ctx, 'Twice')
    const { secret } = await createKey(ctx, tenants.staging, 'First')
    await expect(createKey(ctx, tenants.production, 'Second', unrestricted, secret)).rejects.toMatchObject({
      code: '23505',
    })
  })
})

describe('listing', () => {
  it('shows all keys of a business and of no other, in the order of their making, without their texts', async () => {
    const [business, other] = [await createBusiness(ctx, 'Listing'), await createBusiness(ctx, 'Other')]
    await createKey(ctx, other.tenants.staging, 'Foreign')
    const made = []
    for (const [tenant, name] of [
      [business.tenants.staging, 'One'],
      [business.tenants.production, 'Two'],
      [business.tenants.staging, 'Three'],
    ] as const) {
      made.push(await createKey(ctx, tenant, name))
      ctx.clock.advance(1)
    }
    expect(await listKeys(ctx, business.id)).toEqual(made.map(({ secret: _secret, ...key }) => key))
    expect(JSON.stringify(await listKeys(ctx, business.id))).not.toMatch(/sk_(test|live)_[A-Za-z0-9]/)
  })
})

describe('revoking', () => {
  it('ends a key at once and leaves the others; twice is harmless', async () => {
    const { id: businessId, tenants } = await createBusiness(ctx, 'Revoking')
    const [key, other] = [await createKey(ctx, tenants.staging, 'Bad'), await createKey(ctx, tenants.staging, 'Good')]
    const at = new Date(ctx.clock.now())
    expect(done(await revokeKey(ctx, key.id))).toMatchObject({ id: key.id, status: 'revoked', revokedAt: at })
    ctx.clock.advance(5_000)
    expect(done(await revokeKey(ctx, key.id))).toMatchObject({ status: 'revoked', revokedAt: at })
    expect([await works(key.secret), await works(other.secret)]).toEqual([false, true])
    expect(await listKeys(ctx, businessId)).toMatchObject([
      { status: 'revoked', revokedAt: at },
      { status: 'active', revokedAt: null },
    ])
  })

  it('is final: no later update of the row of a key makes the key valid again', async () => {
    const { id: businessId, tenants } = await createBusiness(ctx, 'For good')
    const key = await createKey(ctx, tenants.staging, 'Bad')
    const revokedAt = new Date(ctx.clock.now())
    await revokeKey(ctx, key.id)
    const unrevoke = 'update api_key set revoked_at = null, expires_at = null, last_used_at = null where id = $1'
    await ctx.db.query(statement('test.unrevoke', unrevoke), [key.id])
    expect(await works(key.secret)).toBe(false)
    expect(await listKeys(ctx, businessId)).toMatchObject([{ status: 'revoked', revokedAt }])
    expect(await rollKey(ctx, key.id, 1)).toMatchObject({ kind: 'not-active' })
  })

  it('by a process of the version before, which only marks the row of the key, ends the key too', async () => {
    const { tenants } = await createBusiness(ctx, 'Before')
    const key = await createKey(ctx, tenants.staging, 'Bad')
    const revoke = 'update api_key set revoked_at = $2 where id = $1'
    await ctx.db.query(statement('test.revoke', revoke), [key.id, new Date(ctx.clock.now())])
    expect(await works(key.secret)).toBe(false)
  })

  it('of a key that does not exist says so', async () => {
    expect(await revokeKey(ctx, newUuid(ctx.clock.now()))).toEqual({ kind: 'not-found' })
    expect(await rollKey(ctx, newUuid(ctx.clock.now()), 1)).toEqual({ kind: 'not-found' })
  })
})

describe('rolling', () => {
  it.each([0, 1, 24])('puts a new key in the place of the old one, which works %d hours more', async (hours) => {
    const { id: businessId, tenants } = await createBusiness(ctx, `Rolling ${hours}`)
    const old = await createKey(ctx, tenants.production, 'Backend')
    const fresh = done(await rollKey(ctx, old.id, hours))
    const endMs = ctx.clock.now() + hours * hourMs
    expect(fresh).toMatchObject({ environment: 'production', name: 'Backend', status: 'active', expiresAt: null })
    expect(fresh.secret).not.toBe(old.secret)
    const [listed] = await listKeys(ctx, businessId)
    expect(listed).toMatchObject({
      id: old.id,
      status: hours === 0 ? 'expired' : 'expiring',
      expiresAt: new Date(endMs),
    })
    ctx.clock.advance(Math.max(0, hours * hourMs - 1))
    expect([await works(old.secret), await works(fresh.secret)]).toEqual([hours > 0, true])
    ctx.clock.advance(1)
    expect([await works(old.secret), await works(fresh.secret)]).toEqual([false, true])
    expect((await listKeys(ctx, businessId))[0]).toMatchObject({ status: 'expired' })
  })

  it('twice does not make the old key live longer, but can make it end sooner', async () => {
    const { id: businessId, tenants } = await createBusiness(ctx, 'Rolling twice')
    const old = await createKey(ctx, tenants.staging, 'Backend')
    await rollKey(ctx, old.id, 2)
    const endMs = ctx.clock.now() + 2 * hourMs
    ctx.clock.advance(hourMs)
    await rollKey(ctx, old.id, 24)
    expect((await listKeys(ctx, businessId))[0]?.expiresAt).toEqual(new Date(endMs))
    await rollKey(ctx, old.id, 0.5)
    expect((await listKeys(ctx, businessId))[0]?.expiresAt).toEqual(new Date(endMs - hourMs / 2))
    expect(await listKeys(ctx, businessId)).toHaveLength(4)
  })

  it('keeps the scopes, the addresses and the original expiry of the old key', async () => {
    const { tenants } = await createBusiness(ctx, 'Restricted')
    const restrictions = {
      scopes: ['read', 'payout'] as const,
      allow: ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '2001:db8::1'],
      expiresAt: new Date(ctx.clock.now() + 90 * 24 * hourMs),
    }
    const old = await createKey(ctx, tenants.staging, 'Backend', restrictions)
    expect(old).toMatchObject({ ...restrictions, status: 'active' })
    const second = done(await rollKey(ctx, old.id, 1))
    expect(second).toMatchObject({ ...restrictions, status: 'active' })
    // Another roll of the old key gives the same restrictions, although the old key now ends soon.
    expect(done(await rollKey(ctx, old.id, 1))).toMatchObject({ ...restrictions, status: 'active' })
    ctx.clock.advance(hourMs)
    expect([await works(old.secret), await works(second.secret)]).toEqual([false, true])
    ctx.clock.advance(90 * 24 * hourMs - hourMs)
    expect(await works(second.secret)).toBe(false)
  })

  it('of a revoked or expired key creates no key', async () => {
    const { id: businessId, tenants } = await createBusiness(ctx, 'Ended')
    const [revoked, expired] = [await createKey(ctx, tenants.staging, 'A'), await createKey(ctx, tenants.staging, 'B')]
    await revokeKey(ctx, revoked.id)
    await rollKey(ctx, expired.id, 0)
    expect(await rollKey(ctx, revoked.id, 1)).toMatchObject({ kind: 'not-active', key: { status: 'revoked' } })
    expect(await rollKey(ctx, expired.id, 1)).toMatchObject({ kind: 'not-active', key: { status: 'expired' } })
    expect(await listKeys(ctx, businessId)).toHaveLength(3)
  })

  it('creates no key if the old one is revoked at the same time', async () => {
    const { id: businessId, tenants } = await createBusiness(ctx, 'Race')
    const key = await createKey(ctx, tenants.staging, 'Leaked')
    const revoker = new pg.Client({ connectionString: database.ownerUrl })
    await revoker.connect()
    onTestFinished(() => revoker.end())
    await revoker.query('begin')
    await revoker.query('update api_key set revoked_at = $2 where id = $1', [key.id, new Date(ctx.clock.now())])
    const roll = rollKey(ctx, key.id, 24)
    await untilWaiting(database, 1)
    await revoker.query('commit')
    expect(await roll).toMatchObject({ kind: 'not-active', key: { status: 'revoked' } })
    expect(await listKeys(ctx, businessId)).toHaveLength(1)
  })

  it.each([-1, 24.5, Number.NaN, Number.POSITIVE_INFINITY])('with an overlap of %d hours is refused', async (hours) => {
    expect(overlapHoursMax).toBe(24)
    const { tenants } = await createBusiness(ctx, 'Refused')
    const key = await createKey(ctx, tenants.staging, 'Backend')
    expect(() => rollKey(ctx, key.id, hours)).toThrow('assertion failed: an overlap of')
    expect(await works(key.secret)).toBe(true)
  })
})
