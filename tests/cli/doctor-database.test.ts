// The doctor's findings about the connection to an operator's own database, and about the rights of the service there.

import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionFinding, examineOwnDatabase } from '#cli/doctor-database.ts'
import { skipOnCitus } from '#tests/support/citus.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()

describe('the connection', () => {
  it.each([
    ['postgres://a:b@db.internal:5432/manilla', false, 'warning', /unencrypted to db\.internal:/],
    ['postgres://a:b@10.0.0.5/manilla?sslmode=disable', false, 'warning', /unencrypted to 10\.0\.0\.5:/],
    ['postgres://a:b@[2001:db8::1]/manilla', false, 'warning', /unencrypted to 2001:db8::1:/],
    ['postgres://a:b@/manilla?host=db.internal', false, 'warning', /unencrypted to db\.internal:/],
    ['postgres://a:b@db.internal/manilla?sslmode=no-verify', true, 'warning', /need not prove who it is/],
    ['postgres://a:b@db.internal/manilla?uselibpqcompat=true&sslmode=require', true, 'warning', /need not prove/],
    ['postgres://a:b@db.internal/manilla?sslmode=verify-full', true, 'ok', /encrypted, and db\.internal proves/],
    ['postgres://a:b@127.0.0.1:5432/manilla', false, 'ok', /does not leave this machine/],
    ['postgres://a:b@localhost/manilla', false, 'ok', /does not leave this machine/],
    ['postgres://a:b@[::1]/manilla', false, 'ok', /does not leave this machine/],
    ['postgres://a:b@/manilla?host=%2Frun%2Fpostgresql', false, 'ok', /does not leave this machine/],
    ['postgres://127.0.0.1.example.com/manilla', false, 'warning', /unencrypted/],
    [
      'postgres://a:b@db1,db2:5433/manilla?target_session_attrs=read-write',
      false,
      'warning',
      /unencrypted to db1, db2:/,
    ],
    ['postgres://a:b@127.0.0.1,db2/manilla', false, 'warning', /unencrypted to 127\.0\.0\.1, db2:/],
    ['postgres://a:b@db1,db2/manilla?sslmode=verify-full', true, 'ok', /db1, db2 prove who they are/],
    ['postgres://a:b@127.0.0.1,127.0.0.2/manilla', false, 'ok', /does not leave this machine/],
  ])('of %s, encrypted: %s, is %s', (url, encrypted, state, message) => {
    expect(connectionFinding(url, encrypted)).toMatchObject({ state, message: expect.stringMatching(message) })
  })
})

describe('the rights', () => {
  async function rights(): Promise<unknown> {
    const client = new pg.Client({ connectionString: database.serviceUrl })
    await client.connect()
    onTestFinished(() => client.end())
    const findings = await examineOwnDatabase(client, database.serviceUrl, true)
    return findings.find(({ check }) => check === 'rights')
  }

  it('name every right that the service does not need, also those that a new PostgreSQL gives to all roles', async (context) => {
    skipOnCitus(context, 'the operator decides who may connect to the other databases')
    expect(await rights()).toMatchObject({ state: 'ok' })
    const [name] = await asOwner<{ name: string }>(database, 'select current_database() as name')
    await asOwner(database, `grant temporary on database ${name?.name} to public`)
    expect(await rights()).toMatchObject({
      state: 'warning',
      message: 'the service may make temporary tables. Revoke these rights as docs/runbooks/production.md shows',
    })
  })
})
