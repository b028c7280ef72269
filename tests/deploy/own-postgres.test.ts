// An operator's own PostgreSQL as docs/runbooks/production.md and backup.md describe it: set up, encrypted, dumped,
// restored, and restored to a past moment. A restore counts when `manilla ledger verify` finds the books whole.

import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTestCertificate } from '#tests/platform/fixtures/test-certificate.ts'
import { portOf, startManilla } from '#tests/cli/support.ts'
import { createClient, expectSuccess, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { hasOwnPostgres, makeOwnPostgres, newOwnFolder, settings, startOn, type OwnPostgres } from './own-postgres.ts'

type Finding = { check: string; state: string; message: string }

describe.skipIf(!hasOwnPostgres())('a PostgreSQL of one’s own', () => {
  let postgres: OwnPostgres
  let client: Client
  let stopServing = (): Promise<unknown> => Promise.resolve()

  beforeAll(async () => {
    postgres = await makeOwnPostgres()
    await postgres.manilla(['migrate'])
    const { stdout } = await postgres.manilla(['businesses', 'create', '--name', 'My Company', '--json'])
    const { id } = JSON.parse(stdout) as { id: string }
    const made = await postgres.manilla(['keys', 'create', '--business', id, '--environment', 'staging', '--json'])
    const { key } = JSON.parse(made.stdout) as { key: string }
    const env = {
      ...settings,
      DATABASE_URL: postgres.urlOf('manilla_app', 'manilla'),
      PORT: '0',
      SANDBOX_SETTLE_MS: '0',
    }
    const server = await startManilla(['serve'], { env })
    client = createClient(`http://127.0.0.1:${await portOf(server)}/staging`, key)
    stopServing = () => (server.signal('SIGTERM'), server.ended)
  })

  afterAll(async () => {
    client.close()
    await stopServing()
    await postgres.stop()
  })

  async function pay(reference: string): Promise<void> {
    const transfer = { reference, amount: 150_000, bankSlug: 'guaranty-trust-bank', accountNumber: '0123456789' }
    expectSuccess(await client.post('/v1/transfers/initiate', { ...transfer, accountName: 'ADA OBI' }))
  }

  const paid = (database: string, from = postgres): Promise<string> =>
    from.ask(`select string_agg(reference, ' ' order by reference) from payment`, database)

  async function doctor(env: Record<string, string> = {}, database = 'manilla', from = postgres) {
    const { stdout } = await from.manilla(['doctor', '--json'], { database, env })
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return Object.fromEntries(findings.map(({ check, ...found }) => [check, found]))
  }

  it('is set up by roles.sh so that the doctor has nothing to say of the service’s rights', async () => {
    expect(await doctor()).toMatchObject({
      database: { state: 'ok' },
      migrations: { state: 'ok' },
      role: { state: 'ok' },
      rights: { state: 'ok' },
    })
  })

  it('is reached encrypted with sslmode=verify-full, and only when it proves who it is', async () => {
    const url = (authority: string): string =>
      `${postgres.urlOf('manilla_app', 'manilla')}?sslmode=verify-full&sslrootcert=${authority}`
    expect(await doctor({ DATABASE_URL: url(postgres.certificate) })).toMatchObject({ database: { state: 'ok' } })
    const stranger = path.join(postgres.folder, 'stranger.crt')
    await writeFile(stranger, makeTestCertificate(['127.0.0.1']).cert)
    expect(await doctor({ DATABASE_URL: url(stranger) })).toMatchObject({ database: { state: 'failed' } })
  })

  it('is dumped while payments go on, and restored into a new database with its books whole', async () => {
    const folder = await newOwnFolder('dumps')
    await pay('DUMPED-1')
    const dumped = await postgres.script('dump.sh', [folder], {
      DATABASE_URL: postgres.urlOf('manilla_owner', 'manilla'),
    })
    expect(dumped).toMatchObject({ code: 0, stderr: '' })
    await pay('NOT-DUMPED')
    const file = dumped.stdout.trim()
    expect(await readdir(folder)).toEqual([path.basename(file)])
    const env = { ADMIN_URL: postgres.urlOf('postgres', 'postgres') }
    expect(await postgres.script('restore-dump.sh', [file, 'restored'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(await paid('restored')).toBe('DUMPED-1')
    expect(await postgres.manilla(['ledger', 'verify'], { database: 'restored' })).toMatchObject({ code: 0 })
    expect(await doctor({}, 'restored')).toMatchObject({ migrations: { state: 'ok' }, rights: { state: 'ok' } })
    // A restore never touches a database that exists.
    expect(await postgres.script('restore-dump.sh', [file, 'manilla'], env)).not.toMatchObject({ code: 0 })
    expect(await paid('manilla')).toBe('DUMPED-1 NOT-DUMPED')
  })

  it('is restored to a past moment, with the payments before it and none after', async () => {
    const [copies, folder] = [await newOwnFolder('base'), await newOwnFolder('restored')]
    const copied = await postgres.script('base-backup.sh', [copies], {
      DATABASE_URL: postgres.urlOf('postgres', 'postgres'),
    })
    expect(copied.code, copied.stderr).toBe(0)
    await pay('BEFORE')
    await untilHolds(async () => expectSettled('BEFORE'))
    const moment = await postgres.ask('select clock_timestamp()')
    await pay('AFTER')
    const last = await postgres.ask('select pg_walfile_name(pg_switch_wal())')
    await untilHolds(async () => expect(await readdir(postgres.archive)).toContain(last))
    const data = path.join(folder, 'data')
    const restored = await postgres.script('restore-to.sh', [copied.stdout.trim(), postgres.archive, data, moment])
    expect(restored.code, restored.stderr).toBe(0)
    const past = await startOn(folder, data)
    await untilHolds(async () => expect(await past.ask('select pg_is_in_recovery()')).toBe('f'))
    expect(await paid('manilla', past)).toMatch(/^BEFORE/)
    expect(await paid('manilla', past)).not.toContain('AFTER')
    expect(await past.manilla(['ledger', 'verify'])).toMatchObject({ code: 0 })
    // The source is unchanged and goes on.
    expect(
      await postgres.script('restore-to.sh', [copied.stdout.trim(), postgres.archive, data, moment]),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists'),
    })
    await past.stop()
    await pay('GOES-ON')
  })

  async function expectSettled(reference: string): Promise<void> {
    expect(await postgres.ask(`select status from payment where reference = '${reference}'`)).toBe('SUCCESS')
  }
})
