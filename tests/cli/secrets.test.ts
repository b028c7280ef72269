// SECRET_KEY on a database of the operator's own: a wrong one is noticed at the start, and a change needs no stop.

import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSecretBox } from '#platform/secrets.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import type { Ended } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { startService } from '#tests/support/service.ts'
import { manilla, root, startManilla } from './support.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const text = (key: Buffer): string => key.toString('base64')
const customers = 5_000

let database: TestDatabase
let env: Record<string, string>

/** A database with one webhook, one person's second factor and many BVNs, all sealed with the first key. */
beforeAll(async () => {
  database = await createTestDatabase()
  env = { DATABASE_URL: database.serviceUrl, PORT: '0', LOG_FORMAT: 'json' }
  const service = await startService({ database, secretKey: first })
  await service.staging.post('/v1/webhooks', { url: 'https://example.com/a', events: ['transfer.success'] })
  const { lane, id: tenantId } = service.business.tenants.staging
  await service.stop()
  const box = createSecretBox(first)
  const person = randomUUID()
  const factor = box.seal('c2VjcmV0', `person.totp:${person}`).toString('base64')
  await asOwner(
    database,
    `insert into person (id, email, name, password, totp_secret, created_at)
     values ($1, 'ada@example.com', 'Ada', '$argon2id$none', decode($2, 'base64'), now())`,
    [person, factor],
  )
  const rows = Array.from({ length: customers }, (_, index) => {
    const id = randomUUID()
    const bvn = index % 2 === 0 ? box.seal('22212345678', `customer.bvn:${id}`).toString('base64') : null
    return { id, bvn }
  })
  await asOwner(
    database,
    `insert into customer (lane, tenant_id, reference, id, ordinal, first_name, last_name, status, bvn, created_at, updated_at)
     select ${lane}, '${tenantId}', 'c-' || n, id::uuid, n, 'Ada', 'Obi', 'ACTIVE', decode(bvn, 'base64'), now(), now()
       from unnest($1::text[], $2::text[]) with ordinality as v (id, bvn, n)`,
    [rows.map(({ id }) => id), rows.map(({ bvn }) => bvn)],
  )
  return () => database.drop()
})

function run(args: string[], ...[key, previous]: Buffer[]): Promise<Ended> {
  const keys = {
    ...(key === undefined ? {} : { SECRET_KEY: text(key) }),
    ...(previous === undefined ? {} : { SECRET_KEY_PREVIOUS: text(previous) }),
  }
  return manilla(args, { env: { ...env, ...keys } })
}

async function starts(...[key, previous]: Buffer[]): Promise<void> {
  const keys = {
    SECRET_KEY: text(key ?? first),
    ...(previous === undefined ? {} : { SECRET_KEY_PREVIOUS: text(previous) }),
  }
  const server = await startManilla(['serve'], { env: { ...env, ...keys } })
  await server.says(/listening on/)
  server.signal('SIGTERM')
  expect((await server.ended).code).toBe(0)
}

/** Counts the values that a key sealed, by their bytes. */
async function sealedBy(key: Buffer): Promise<number> {
  const keyId = createSecretBox(key).seal('', '').subarray(1, 5).toString('hex')
  const [row] = await asOwner<{ count: number }>(
    database,
    `select count(*)::int as count from (select secret as sealed from webhook_subscription union all select bvn from customer union all select totp_secret from person) v
      where encode(substring(sealed from 2 for 4), 'hex') = $1`,
    [keyId],
  )
  return row?.count ?? 0
}

const sealed = customers / 2 + 2

async function idOfFirst(): Promise<string> {
  const [row] = await asOwner<{ id: string }>(database, 'select id from customer where ordinal = 1')
  return row?.id ?? ''
}

describe('SECRET_KEY', () => {
  it('must be set with DATABASE_URL', async () => {
    const ended = await run(['serve'])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(
      /^SECRET_KEY is missing: with DATABASE_URL it must be set, to the same value on every machine\./,
    )
  })

  it('that is another one stops the start, with what to do; doctor says the same', async () => {
    const ended = await run(['serve'], second)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^SECRET_KEY is not the key that the secrets of this database are sealed with\. .+\n$/)
    const doctor = await run(['doctor', '--json'], second)
    expect(doctor.code).toBe(1)
    expect(findingOf(doctor, 'secret key')).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/is not the key/),
    })
    await starts(first)
  })
})

describe('a change of SECRET_KEY', () => {
  it('begins with processes that have both keys; the old one alone is not enough any more', async () => {
    await starts(first, second)
    await starts(second, first)
    const ended = await run(['serve'], first)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^Some secrets of this database are still sealed with another key/)
    const doctor = await run(['doctor', '--json'], second, first)
    expect(findingOf(doctor, 'secret key')).toEqual({
      check: 'secret key',
      state: 'warning',
      message: `${sealed} stored secrets are encrypted with another key than SECRET_KEY. When every process has both keys, run: npx manilla secrets reseal`,
    })
  })

  it('ends with reseal, which may be killed and begun again, and done twice', async () => {
    const killed = await startManilla(['secrets', 'reseal'], {
      env: { ...env, SECRET_KEY: text(second), SECRET_KEY_PREVIOUS: text(first) },
    })
    await eventually('something to be resealed', async () => ((await sealedBy(second)) > 0 ? true : undefined))
    killed.signal('SIGKILL')
    await killed.ended
    const ended = await run(['secrets', 'reseal', '--json'], second, first)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ended.stdout)).toMatchObject({ left: 0 })
    expect([await sealedBy(first), await sealedBy(second)]).toEqual([0, sealed])
    const again = await run(['secrets', 'reseal', '--json'], second)
    expect(JSON.parse(again.stdout)).toEqual({ resealed: 0, left: 0 })
  })

  it('waits for processes with the old key also if an earlier run was killed while it waited', async () => {
    const noted = async (): Promise<string> => {
      const [row] = await asOwner<{ xmin: string }>(database, 'select xmin::text from installation where id = 1')
      return row?.xmin ?? ''
    }
    const before = await noted()
    const running = run(['secrets', 'reseal', '--json'], second, first)
    await eventually('the end of the first pass', async () => ((await noted()) === before ? undefined : true))
    const stale = createSecretBox(first)
    await asOwner(database, `update customer set bvn = decode($1, 'base64') where ordinal = 1`, [
      stale.seal('22212345678', `customer.bvn:${await idOfFirst()}`).toString('base64'),
    ])
    expect(JSON.parse((await running).stdout)).toEqual({ resealed: 1, left: 0 })
    expect([await sealedBy(first), await sealedBy(second)]).toEqual([0, sealed])
  })

  it('leaves one key: the new one starts alone, and the old one does not', async () => {
    await starts(second)
    expect((await run(['serve'], first)).stderr).toMatch(/^SECRET_KEY is not the key/)
    expect(findingOf(await run(['doctor', '--json'], second), 'secret key')).toMatchObject({ state: 'ok' })
    const box = createSecretBox(second)
    const [row] = await asOwner<{ id: string; bvn: Buffer }>(database, 'select id, bvn from customer where ordinal = 1')
    expect(box.open(row?.bvn ?? Buffer.alloc(0), `customer.bvn:${row?.id}`)).toBe('22212345678')
  })
})

describe('a process that the change forgot', () => {
  it('stores no secret any more, and says so; what it had stored is resealed, and doctor counts', async () => {
    const now = randomBytes(32)
    const forgotten = await startService({ database, secretKey: second })
    const key = forgotten.staging
    const hook = { url: 'https://example.com/b', events: ['transfer.success'] }
    expect((await key.post('/v1/webhooks', hook)).status).toBe(200)
    expect(await run(['secrets', 'reseal'], now, second)).toMatchObject({ code: 0 })
    const refused = await key.post('/v1/webhooks', hook)
    expect(refused.status).toBe(503)
    expect(refused.text).toContain('old secret key')
    expect((await forgotten.ctx.metrics.secretKeyUnlisted.get()).values[0]?.value).toBe(1)
    expect(await sealedBy(second)).toBe(0)
    await forgotten.stop()
    expect(findingOf(await run(['doctor', '--json'], now), 'secret key')).toMatchObject({ state: 'ok' })
    // A row that is still sealed with the old key is counted, also if the list of rows misses it.
    const [row] = await asOwner<{ id: string }>(database, 'select id from customer where ordinal = 1')
    const bvn = createSecretBox(second).seal('22212345678', `customer.bvn:${row?.id}`)
    await asOwner(database, `update customer set bvn = decode($1, 'base64') where ordinal = 1`, [
      bvn.toString('base64'),
    ])
    expect(findingOf(await run(['doctor', '--json'], now), 'secret key')).toMatchObject({ state: 'failed' })
    expect(findingOf(await run(['doctor', '--json'], now, second), 'secret key')).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/^1 stored secrets are encrypted with another key/),
    })
    expect(await run(['secrets', 'reseal'], second, now)).toMatchObject({ code: 0 })
  })
})

describe('a database of a version that noted no keys', () => {
  const forget = () => asOwner(database, `update installation set secret_keys = '{}' returning 1`)
  const noted = async (): Promise<number> => {
    const [row] = await asOwner<{ count: number }>(
      database,
      'select cardinality(secret_keys) as count from installation',
    )
    return row?.count ?? 0
  }

  it('is started by the key that opens what it keeps, and by no other', async () => {
    await forget()
    const ended = await run(['serve'], first)
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^A stored secret was sealed with another SECRET_KEY: name the key/)
    expect(findingOf(await run(['doctor', '--json'], first), 'secret key')).toMatchObject({ state: 'failed' })
    expect((await run(['secrets', 'reseal'], first)).code).toBe(1)
    expect(await noted()).toBe(0)
    await starts(second)
    expect(await noted()).toBe(1)
  })

  it('is started by a new key beside the old one', async () => {
    await forget()
    await starts(first, second)
    expect(await noted()).toBe(1)
  })
})

describe('a database whose key is lost', () => {
  const third = randomBytes(32)

  it('is served with a new key after what the runbook says, and doctor reports what the new key cannot open', async () => {
    const runbook = await readFile(path.join(root, 'docs/runbooks/secret-key.md'), 'utf8')
    const [, sql = ''] = /## If it is lost[^]*?```sql\n([^]*?)```/.exec(runbook) ?? []
    await asOwner(database, sql.replace(/(?<=decode\(')[^']*/, text(third)))
    await starts(third)
    // New secrets of the webhooks, as rotate-secret stores them.
    const fresh = createSecretBox(third).seal('secret', 'place').toString('base64')
    await asOwner(
      database,
      `update webhook_subscription set secret = decode($1, 'base64'), old_secret = null, old_secret_until = null`,
      [fresh],
    )
    // The second factor of a person is the last value that no key opens.
    expect(findingOf(await run(['doctor', '--json'], third), 'secret key')).toMatchObject({ state: 'failed' })
    await asOwner(database, 'update person set totp_secret = null')
    expect(findingOf(await run(['doctor', '--json'], third), 'secret key')).toMatchObject({ state: 'ok' })
  })
})

type Finding = { check: string; state: string; message: string }

function findingOf({ stdout }: Ended, check: string): Finding | undefined {
  return (JSON.parse(stdout) as { findings: Finding[] }).findings.find((one) => one.check === check)
}

describe('everything that is kept sealed', () => {
  it('is changed by reseal: there is no other column of bytes', async () => {
    const columns = await asOwner<{ name: string }>(
      database,
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'bytea' order by 1`,
    )
    const hashes = [
      'api_key.hash',
      'audit_entry.hash',
      'audit_entry.previous_hash',
      'invitation.token_hash',
      'known_device.token_hash',
      'event_archive.digest',
      'event_archive.previous',
      'installation.password_salt',
      'ledger_archive.digest',
      'ledger_archive.previous',
      'one_time_link.token_hash',
      'receipt_link.token_hash',
      'passkey.credential_id',
      // These are public.
      'business.logo',
      'passkey.public_key',
      'passkey_challenge.asker_hash',
      'passkey_challenge.challenge_hash',
      'payout_approval.content_hash',
      'payout_draft.content_hash',
      'quota_count.bucket',
      'rail_notice.digest',
      'recovery_code.hash',
      'sign_in.previous_hash',
      'sign_in.token_hash',
    ]
    const people = ['person.totp_pending', 'person.totp_secret']
    const kept = [
      'customer.bvn',
      'letter.token',
      ...people,
      'rail_notice.body',
      'webhook_subscription.old_secret',
      'webhook_subscription.secret',
    ]
    expect(columns.map(({ name }) => name).filter((name) => !hashes.includes(name))).toEqual(kept)
  })
})
