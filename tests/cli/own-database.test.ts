// An operator's own PostgreSQL, with set-ups that nearly work.

import { mkdir, readFile, symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { citusUrl } from '#tests/support/citus.ts'
import { createTestDatabase, useTestDatabase } from '#tests/support/database.ts'
import { withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, testSecretKey } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'
import type { Ended } from '#tests/support/launch.ts'
import { manilla, newDataDir, newInitializedDataDir, startManilla } from './support.ts'

const database = await useTestDatabase()
const env = {
  DATABASE_URL: database.serviceUrl,
  SECRET_KEY: testSecretKey.toString('base64'),
  PORT: '0',
  LOG_FORMAT: 'json',
}

type Finding = { check: string; state: string; message: string }

function findingsOf({ stdout }: Ended): Record<string, Finding> {
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return Object.fromEntries(findings.map((one) => [one.check, one]))
}

/** A set-up that a hosting panel may make: the login owns its database, beside a role that it does not belong to. */
async function ownerAlone(): Promise<string> {
  const dataDir = await newInitializedDataDir()
  const postgres = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  onTestFinished(() => postgres.release())
  const passwords = await readFile(path.join(dataDir, 'postgres', 'passwords.json'), 'utf8')
  const { admin } = JSON.parse(passwords) as { admin: string }
  const as = (login: string, name: string): string =>
    withDatabase(postgres.ownerUrl, name).replace(/\/\/[^@]*@/, `//${login}@`)
  const administrator = { ownerUrl: as(`postgres:${admin}`, 'postgres') }
  await asOwner(administrator, `create role alone login password 'x'`)
  await asOwner(administrator, 'create database alone owner alone')
  return as('alone:x', 'alone')
}

describe('a login that may not work as the service', () => {
  it('gets the missing grants named, by serve and by doctor', async () => {
    const DATABASE_URL = await ownerAlone()
    expect(await manilla(['migrate'], { env: { ...env, DATABASE_URL } })).toMatchObject({ code: 0 })
    const sentence = /may not work as manilla_service.*grant manilla_service to LOGIN;/
    const served = await manilla(['serve'], { env: { ...env, DATABASE_URL } })
    expect(served).toMatchObject({ code: 1, stdout: '' })
    expect(served.stderr).toMatch(sentence)
    const doctor = await manilla(['doctor', '--json'], { env: { ...env, DATABASE_URL } })
    expect(doctor.code).toBe(1)
    expect(findingsOf(doctor)['role']).toMatchObject({ state: 'failed', message: expect.stringMatching(sentence) })
  })
})

describe('a database that cannot be reached', () => {
  it('is reported before a missing SECRET_KEY', async () => {
    const DATABASE_URL = 'postgres://manilla:x@127.0.0.1:1/manilla'
    const { code, stdout, stderr } = await manilla(['serve'], { env: { DATABASE_URL, PORT: '0' } })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/Cannot connect to the database\..*ECONNREFUSED.*Check DATABASE_URL\.\n$/)
    expect(stderr).not.toContain('SECRET_KEY')
  })
})

describe('DATABASE_URL as the owner alone', () => {
  it('migrates and serves, and doctor says that it will', async () => {
    const own = { ...env, DATABASE_URL: database.ownerUrl }
    const server = await startManilla(['serve', '--migrate'], { env: own })
    await server.says(/listening on/)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    // On Citus the tests log in as a superuser, about whom the doctor warns.
    const state = citusUrl === undefined ? 'ok' : 'warning'
    expect(findingsOf(await manilla(['doctor', '--json'], { env: own }))['role']).toMatchObject({ state })
  })
})

describe('DATABASE_URL and MIGRATION_DATABASE_URL that name two databases', () => {
  it('are found before anything is migrated', async () => {
    const other = await createTestDatabase()
    onTestFinished(() => other.drop())
    const both = { ...env, MIGRATION_DATABASE_URL: other.ownerUrl }
    for (const args of [['migrate'], ['serve', '--migrate'], ['doctor']]) {
      const { code, stdout, stderr } = await manilla(args, { env: both })
      expect(code).toBe(1)
      expect(stdout + stderr).toMatch(
        /MIGRATION_DATABASE_URL and DATABASE_URL name two different databases: test_\w+ and test_\w+/,
      )
    }
    const same = { ...env, MIGRATION_DATABASE_URL: database.ownerUrl }
    expect(await manilla(['migrate'], { env: same })).toMatchObject({ code: 0 })
  })
})

describe('a service without a worker', () => {
  it('does not pass the doctor once something has been due for a minute', async () => {
    const service = await startService({ roles: ['api'], database })
    await service.staging.post('/v1/transfers/initiate', transferBody())
    const doctor = () => manilla(['doctor', '--json'], { env })
    expect(findingsOf(await doctor())['backlog']).toMatchObject({ state: 'ok' })
    await asOwner(database, `update payment set due_at = now() - interval '2 minutes'`)
    const late = await doctor()
    expect(late.code).toBe(1)
    expect(findingsOf(late)['backlog']).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^payments: 1 due, the oldest for 1\d\d s\. Start a worker:/),
    })
    await service.stop()
  })
})

describe('SIGTERM while serve migrates', () => {
  it('ends the migration and the process, and a later start goes on', async () => {
    const empty = `empty_${process.pid}`
    await asOwner({ ownerUrl: inject('ownerUrl') }, `create database ${empty}`)
    const ownerUrl = withDatabase(inject('ownerUrl'), empty)
    onTestFinished(() =>
      asOwner({ ownerUrl: inject('ownerUrl') }, `drop database ${empty} with (force)`).then(() => undefined),
    )
    // The holder of this lock blocks all migrations.
    await asOwner({ ownerUrl }, 'create table migration (name text primary key, checksum text, applied_at timestamptz)')
    const holding = asOwner({ ownerUrl }, 'begin; lock table migration; select pg_sleep(600)').catch(() => undefined)
    const own = { ...env, DATABASE_URL: ownerUrl }
    const server = await startManilla(['serve', '--migrate'], { env: own })
    await server.says(/waiting until another process has migrated/)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    expect(server.stdout()).toMatch(/stopped on SIGTERM before it was ready/)
    await asOwner(
      { ownerUrl },
      `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)'
      and pid <> pg_backend_pid()`,
    )
    await holding
  })
})

it('doctor reports credentials that it cannot read, and does not say that there are none', async () => {
  const DATA_DIR = await newDataDir()
  expect(findingsOf(await manilla(['doctor', '--json'], { env: { ...env, DATA_DIR } }))['credentials']).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('none yet'),
  })
  await mkdir(DATA_DIR, { recursive: true })
  await symlink('credentials.json', path.join(DATA_DIR, 'credentials.json'))
  expect(findingsOf(await manilla(['doctor', '--json'], { env: { ...env, DATA_DIR } }))['credentials']).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(/credentials\.json cannot be read: .*ELOOP/),
  })
})
