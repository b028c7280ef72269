import { describe, expect, it, onTestFinished } from 'vitest'
import { createDb, type Db } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { createBusiness } from '#businesses/business.ts'
import { createKeyring, type Caller, type Keyring, unrestricted } from '#businesses/keyring.ts'
import { createKey, newKeyText, revokeKey, rollKey } from '#businesses/keys.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { createTestContext } from '#tests/support/context.ts'
import { quietLog, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const { id: businessId, tenants } = await createBusiness(ctx, 'Keys')

/** A process with its own cache of keys, on the same clock. */
function newProcess(db: Db = database.connect(), options = {}) {
  let [asked, answered] = [0, 0]
  const query: Db['readers']['query'] = (what, values) => {
    asked += 1
    return db.readers.query<never>(what, values).finally(() => (answered += 1))
  }
  const own = createTestContext({ ...db, readers: { query } }, ctx.clock)
  return {
    ctx: own,
    keyring: createKeyring(own, options),
    asked: () => asked,
    async settled() {
      await nextTurn()
      await nextTurn()
      await untilHolds(() => expect(answered).toBe(asked))
      await nextTurn()
    },
  }
}

/** Looks these keys up in one turn of the event loop. */
function findAll(keyring: Keyring, keys: string[]): Promise<(Caller | undefined)[]> {
  return Promise.all(keys.map(async (key) => keyring.find(key)))
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const lastUsedOf = async (id: string): Promise<Date | null | undefined> =>
  (await asOwner<{ at: Date | null }>(database, 'select last_used_at as at from api_key where id = $1', [id]))[0]?.at

describe('finding a caller', () => {
  it('returns the caller of a key, and undefined for an unknown or malformed key', async () => {
    const { keyring, asked } = newProcess()
    const { id, secret } = await createKey(ctx, tenants.staging, 'Backend')
    expect(await keyring.find(secret)).toEqual({
      keyId: id,
      businessId,
      tenant: tenants.staging,
      expiresAtMs: Infinity,
    })
    expect(await keyring.find(newKeyText('staging'))).toBeUndefined()
    const before = asked()
    for (const unchecked of [
      '',
      'sk_test_',
      secret.slice(1),
      `${secret}x`,
      `${secret}\n`,
      secret.replace('sk_test', 'sk_prod'),
    ]) {
      expect(keyring.find(unchecked)).toBeUndefined()
    }
    expect(asked()).toBe(before)
  })

  it('queries once for all requests that come at the same time', async () => {
    const { keyring, asked } = newProcess()
    const keys = await Promise.all(Array.from({ length: 5 }, () => createKey(ctx, tenants.staging, 'Backend')))
    const found = await findAll(
      keyring,
      Array.from({ length: 100 }, (_, at) => keys[at % 5]?.secret ?? ''),
    )
    expect(found.map((caller) => caller?.keyId)).toEqual(Array.from({ length: 100 }, (_, at) => keys[at % 5]?.id))
    expect(asked()).toBe(1)
  })

  it('never makes a key in steady use wait, and asks no more than every 0.4 s', async () => {
    const { keyring, asked, settled } = newProcess()
    const { secret } = await createKey(ctx, tenants.staging, 'Steady')
    const caller = await keyring.find(secret)
    const waits: number[] = []
    for (let ms = 100; ms <= 10_000; ms += 100) {
      ctx.clock.advance(100)
      const found = keyring.find(secret)
      if (found instanceof Promise) waits.push(ms)
      expect(await found).toEqual(caller)
      await settled()
    }
    expect(waits).toEqual([])
    expect(asked()).toBeLessThanOrEqual(1 + 10_000 / 400)
  })
})

describe('a key that ends', () => {
  it('because another process revoked it is refused here within a second, however steadily it is used', async () => {
    const { keyring, settled } = newProcess()
    const { id, secret } = await createKey(ctx, tenants.staging, 'Leaked')
    expect(await keyring.find(secret)).toBeDefined()
    await revokeKey(newProcess().ctx, id)
    ctx.clock.advance(399)
    expect(keyring.find(secret)).toBeDefined() // A cached result may be this old.
    ctx.clock.advance(1)
    expect(keyring.find(secret)).toBeDefined() // This use asks again in the background.
    await settled()
    expect(keyring.find(secret)).toBeUndefined()
  })

  it('while unused is refused at its next use', async () => {
    const { keyring } = newProcess()
    const { id, secret } = await createKey(ctx, tenants.staging, 'Leaked')
    await keyring.find(secret)
    await revokeKey(ctx, id)
    ctx.clock.advance(900)
    expect(await keyring.find(secret)).toBeUndefined()
  })

  it('at its expiry is refused to the millisecond, without a query', async () => {
    const { keyring } = newProcess()
    const { id, secret } = await createKey(ctx, tenants.staging, 'Rolled')
    await rollKey(ctx, id, 1)
    ctx.clock.advance(3_600_000 - 100)
    expect(await keyring.find(secret)).toMatchObject({ keyId: id })
    ctx.clock.advance(99)
    expect(keyring.find(secret)).toMatchObject({ keyId: id })
    ctx.clock.advance(1)
    expect(keyring.find(secret)).toBeUndefined()
  })

  it.each([
    ['was set back', -3_600_000],
    ['is slowed down', -450],
  ])('is refused within a second although the clock %s', async (_what, byMs) => {
    const { keyring } = newProcess()
    const { id, secret } = await createKey(ctx, tenants.staging, 'Back')
    await keyring.find(secret)
    await revokeKey(ctx, id)
    ctx.clock.advance(900)
    ctx.clock.set(byMs)
    expect(await keyring.find(secret)).toBeUndefined()
    ctx.clock.set(-byMs)
  })

  it('a key that was created after its text was refused is accepted within a second', async () => {
    const { keyring } = newProcess()
    const secret = newKeyText('staging')
    expect(await keyring.find(secret)).toBeUndefined()
    const { id } = await createKey(ctx, tenants.staging, 'Late', unrestricted, secret)
    ctx.clock.advance(900)
    expect(await keyring.find(secret)).toMatchObject({ keyId: id })
  })
})

describe('memory', () => {
  it('is limited: the key that was looked up longest ago is evicted', async () => {
    const { keyring, asked } = newProcess(database.connect(), { rememberedMax: 100 })
    const { secret } = await createKey(ctx, tenants.staging, 'Old')
    await keyring.find(secret)
    const made = Array.from({ length: 99 }, () => newKeyText('staging'))
    for (const key of made) await keyring.find(key)
    expect(keyring.find(secret)).not.toBeInstanceOf(Promise)
    await keyring.find(newKeyText('staging'))
    const before = asked()
    expect(keyring.find(made[1] ?? '')).toBeUndefined()
    expect(asked()).toBe(before)
    expect(keyring.find(secret)).toBeInstanceOf(Promise)
  })

  it('of a key in steady use survives any number of made-up keys', async () => {
    const { keyring, settled } = newProcess(database.connect(), { rememberedMax: 100 })
    const { secret } = await createKey(ctx, tenants.staging, 'Steady')
    const caller = await keyring.find(secret)
    for (let round = 0; round < 10; round++) {
      await findAll(
        keyring,
        Array.from({ length: 50 }, () => newKeyText('staging')),
      )
      ctx.clock.advance(400)
      expect(keyring.find(secret)).toEqual(caller)
      await settled()
    }
  })
})

describe('a database that is gone', () => {
  it('makes keys unavailable, never invalid; cached keys still work for a moment', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    const db = createDb({ url: proxy.url, role: serviceRole, log: quietLog(), metrics: createMetrics() })
    onTestFinished(() => db.close())
    const { keyring } = newProcess(db)
    const { secret } = await createKey(ctx, tenants.staging, 'Outage')
    const caller = await keyring.find(secret)
    await proxy.close()
    ctx.clock.advance(500)
    expect(keyring.find(secret)).toEqual(caller)
    ctx.clock.advance(400)
    await expect(keyring.find(secret)).rejects.toBeInstanceOf(Unavailable)
    await expect(keyring.find(newKeyText('staging'))).rejects.toBeInstanceOf(Unavailable)
    await proxy.open()
    expect(await keyring.find(secret)).toEqual(caller)
  })
})

describe('notes of use', () => {
  it('are written together and not with each request', async () => {
    const { keyring } = newProcess()
    const keys = [await createKey(ctx, tenants.staging, 'A'), await createKey(ctx, tenants.staging, 'B')]
    const [a, b] = await findAll(
      keyring,
      keys.map((key) => key.secret),
    )
    if (a === undefined || b === undefined) throw new Error('a key does not work')
    for (let request = 0; request < 100; request++) keyring.touch(a)
    const firstAt = new Date(ctx.clock.now())
    ctx.clock.advance(5_000)
    keyring.touch(b)
    expect(await Promise.all([lastUsedOf(a.keyId), lastUsedOf(b.keyId)])).toEqual([null, null])
    await keyring.flush()
    expect(await Promise.all([lastUsedOf(a.keyId), lastUsedOf(b.keyId)])).toEqual([firstAt, new Date(ctx.clock.now())])
  })

  it('from several processes at once keep the latest, and no process waits for another for ever', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, () => createKey(ctx, tenants.staging, 'Shared')))
    const rings = Array.from({ length: 4 }, () => newProcess().keyring)
    for (const [at, ring] of rings.entries()) {
      const callers = await findAll(
        ring,
        keys.map((key) => key.secret),
      )
      for (const caller of at % 2 === 0 ? callers : callers.toReversed()) if (caller !== undefined) ring.touch(caller)
      ctx.clock.advance(1_000)
    }
    await Promise.all(rings.toReversed().map((ring) => ring.flush()))
    const times = await Promise.all(keys.map((key) => lastUsedOf(key.id)))
    expect(new Set(times.map((time) => time?.getTime()))).toEqual(new Set([ctx.clock.now() - 1_000]))
  })

  it('that could not be written are written the next time', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    const db = createDb({ url: proxy.url, role: serviceRole, log: quietLog(), metrics: createMetrics() })
    onTestFinished(() => db.close())
    const { keyring } = newProcess(db)
    const { id, secret } = await createKey(ctx, tenants.staging, 'Outage')
    const caller = await keyring.find(secret)
    if (caller === undefined) throw new Error('the key does not work')
    keyring.touch(caller)
    const usedAt = new Date(ctx.clock.now())
    await proxy.close()
    await expect(keyring.flush()).rejects.toBeInstanceOf(Unavailable)
    await proxy.open()
    await keyring.flush()
    expect(await lastUsedOf(id)).toEqual(usedAt)
  })
})
